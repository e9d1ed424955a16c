"""Tables as LaTeX: every sign is printed, every table fits its page, and LaTeX compiles all of it without a complaint."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from recsens.report.settings.paragraph import write_methods
from recsens.tables.latex import in_one_file, page_parts, to_floats
from recsens.tables.latex_text import breakable_pieces, escape
from recsens.tables.table import Row, RowGroup, Table, TableCell, texts


def of(columns, rows, **more):
    lines = tuple(Row(label, cells) for label, cells in rows)
    return Table("k", "A caption", "What", tuple(columns), (RowGroup("", lines),), **more)


def numbers(n):
    return tuple(TableCell(".1234") for _ in range(n))


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("φ τ λ Σ", r"$\phi$ $\tau$ $\lambda$ $\Sigma$"),
        ("w̄ μ̂", r"\={w} $\hat{\mu}$"),
        ("Cañamares, Čerinšek, Díez", r"Ca\~{n}amares, \v{C}erin\v{s}ek, D\'{\i}ez"),
        ("Α is a Greek capital", "$A$ is a Greek capital"),
        ("[a] * b", "{[}a] {*} b"),
        ("a--b", "a-{}-b"),
        ("日", "{[}U+65E5]"),
    ],
)
def test_every_sign_is_printed_by_standard_latex(text, written):
    assert escape(text) == written


def test_specs_may_be_broken_at_their_joints_and_numbers_never():
    assert breakable_pieces("random(ratio=0.2,count=exact)") == ("random(", "ratio=", "0.2,", "count=", "exact)")
    assert breakable_pieces("6,040 P@10 (base)") == ("6,040 P@10 (base)",)
    assert max(map(len, breakable_pieces("x" * 90))) <= 20


def test_a_small_table_is_set_as_it_is_in_one_column():
    ((table, layout),) = page_parts(of("ab", [("r", numbers(2))]), 343)
    assert (layout.is_wide, any(layout.wraps), table.key) == (False, False, "k")


def test_a_table_too_wide_for_one_column_goes_across_the_page_where_its_words_wrap():
    words = texts(["some words that go on and on, quite a few of them"] * 3)
    table = of("abcde", [("r", (*words, *numbers(2)))])
    (written,) = to_floats(table, 343)
    assert r"\begin{table*}" in written
    wraps = r">{\raggedright\arraybackslash}X"
    assert rf"\begin{{tabularx}}{{\linewidth}}{{@{{}}l{3 * wraps}rr@{{}}}}" in written


def test_a_table_wider_than_a_page_is_cut_by_columns_and_one_longer_by_rows():
    columns = [f"system {n}" for n in range(30)]
    wide = of(columns, [(f"metric {n}", numbers(30)) for n in range(30)], notes=("A note.",))
    cut = page_parts(wide, 343)
    assert [column for table, _ in cut for column in table.columns] == columns
    assert len(page_parts(wide, 506)) < len(cut) < len(page_parts(wide, 300))
    long = page_parts(of("ab", [(f"row {n}", numbers(2)) for n in range(100)], notes=("A note.",)), 343)
    assert [row.label for table, _ in long for group in table.groups for row in group.rows] == [f"row {n}" for n in range(100)]
    assert [table.notes for table, _ in long] == [()] * (len(long) - 1) + [("A note.",)]
    assert [table.key for table, _ in long][:2] == ["k-1", "k-2"]
    assert "(part 1 of" in long[0][0].caption


HARD = {
    "datasets": {"A long label (of 2 data sets) with/many+signs_1": "lab_plugins.Ratings(name=alpha)"},
    "systems": {f"A system with a long name {n}": f"lab_plugins.Neighbours(k={n + 1})" for n in range(12)},
    "vary": {"split": ["random(ratio=0.2)"], "correction": ["holm"], "targets": ["one_r"]},
    "metrics": ["P@10", "nDCG(gain=exp)@10", "RBP(phi=0.8,gain=exp)@10", "RMSE", "AP@100", "RR@100", "AUC", "Unrated@10"],
    "published": [],
    "published_comparisons": [],
}


CLASSES = {
    "article": r"\documentclass{article}",
    "twocolumn": r"\documentclass[twocolumn]{article}",
    "acmsmall": r"\documentclass[acmsmall,nonacm]{acmart}",
    "sigconf": r"\documentclass[sigconf,nonacm]{acmart}",
}


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
@pytest.mark.parametrize("changes", [{}, HARD], ids=["small", "hard"])
@pytest.mark.parametrize("kind", CLASSES)
def test_all_tables_fit_their_pages_in_every_class(make_study, make_results, printed, tmp_path, kind, changes):
    if "acmart" in CLASSES[kind] and not has_files("acmart.cls", "xstring.sty"):
        pytest.skip("the class acmart is not installed, or not all that it needs")
    study = make_study(**changes)
    signs = of(["Ελληνικά τ φ λ", "ñ Č ø ß"], [("50 % & #1_$x^2 ~ {a} \\ 日 ‹s› …", texts(["w̄ ≥ ½ √2 ∝ Σ", '"quoted" `tick`']))])
    tables = [*printed(study, make_results(study)), signs]
    (tmp_path / "tables.tex").write_text(in_one_file(part for table in tables for part in to_floats(table, 343)))
    assert complaints(tmp_path, f"{CLASSES[kind]}\n\\usepackage{{booktabs,tabularx}}", "tables") == []


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
@pytest.mark.parametrize("options", ["", "[twocolumn]"])
def test_a_methods_paragraph_full_of_specs_fits_a_page_and_a_column(tmp_path, options):
    specs = "RBP(phi=0.8,gain=binary)@10 (= RBP(gain=binary,phi=0.8)@10), hkv(preset=canamares2020-as-printed) and kNN. "
    write_methods(f"We measured {20 * specs}".strip(), [tmp_path / "methods.tex"])
    assert complaints(tmp_path, f"\\documentclass{options}{{article}}", "methods") == []


def has_files(*names: str) -> bool:
    """Whether LaTeX has some files."""
    found = subprocess.run(["kpsewhich", *names], capture_output=True, check=False)  # noqa: S607 - comes with pdflatex
    return len(found.stdout.split()) == len(names)


def complaints(folder: Path, head: str, name: str) -> list[str]:
    """List LaTeX's warnings about overfull boxes; fail if the file does not compile."""
    body = f"\\title{{A study}}\n\\begin{{document}}\n\\maketitle\n\\input{{{name}}}\n\\end{{document}}\n"
    (folder / "paper.tex").write_text(f"{head}\n{body}")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"],  # noqa: S607 - found above
        cwd=folder, capture_output=True, check=False,
    )  # fmt: skip
    log = (folder / "paper.log").read_text(errors="replace")
    assert done.returncode == 0, log[-2000:]
    return re.findall(r"^(?:! .*|Overfull .*|.*Float too large.*|Missing character.*)$", log, flags=re.MULTILINE)
