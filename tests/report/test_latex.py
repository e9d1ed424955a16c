"""Tables as LaTeX: every sign is printed, every table fits its page, and plain LaTeX compiles all of it without a complaint."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from recsens.report.settings.paragraph import write_methods
from recsens.tables.latex import to_latex
from recsens.tables.latex_layout import TEXT_WIDTH, parts
from recsens.tables.latex_text import escape, pieces
from recsens.tables.latex_width import FOOTNOTE, NORMAL, width
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
    assert pieces("random(ratio=0.2,count=exact)") == ("random(", "ratio=", "0.2,", "count=", "exact)")
    assert pieces("6,040 P@10 (base)") == ("6,040 P@10 (base)",)
    assert max(map(len, pieces("x" * 90))) <= 20


def test_a_small_table_is_set_as_it_is():
    ((table, layout),) = parts(of("ab", [("r", numbers(2))]))
    assert (layout.size, any(layout.wraps), table.key) == (NORMAL, False, "k")


def test_a_wide_table_of_words_wraps_them():
    words = texts(["some words that go on and on, quite a few of them"] * 3)
    ((_, layout),) = parts(of("abc", [("r", words)]))
    assert any(layout.wraps)
    assert layout.total <= TEXT_WIDTH


def test_a_low_wide_table_is_turned():
    ((table, _),) = parts(of([f"system {n}" for n in range(30)], [("P@10", numbers(30))]))
    assert table.columns == ("P@10",)


def test_a_table_wider_than_a_page_is_cut_by_columns_and_one_longer_by_rows():
    columns = [f"system {n}" for n in range(30)]
    wide = parts(of(columns, [(f"metric {n}", numbers(30)) for n in range(30)], notes=("A note.",)))
    assert [column for table, _ in wide for column in table.columns] == columns
    long = parts(of("ab", [(f"row {n}", numbers(2)) for n in range(100)], notes=("A note.",)))
    assert [row.label for table, _ in long for group in table.groups for row in group.rows] == [f"row {n}" for n in range(100)]
    assert [table.notes for table, _ in long] == [()] * (len(long) - 1) + [("A note.",)]
    assert [table.key for table, _ in long][:2] == ["k-1", "k-2"]
    assert "(part 1 of" in long[0][0].caption


def test_long_remarks_become_signs_that_the_notes_explain():
    remarks = ["a long remark that does not fit beside numbers", "another one that is just as long as the first"] * 10
    rows = [
        (f"row {n}", (*numbers(7), TableCell("Table 2 of the paper", is_text=True), *texts([remark])))
        for n, remark in enumerate(remarks)
    ]
    ((table, _),) = parts(of([*"abcdefg", "source", "note"], rows))
    assert table.columns == (*"abcdefg", "note")
    assert {row.cells[-1].text for row in table.groups[0].rows} == {"n1", "n2"}
    assert table.notes == ("source: Table 2 of the paper.", f"n1: {remarks[0]}.", f"n2: {remarks[1]}.")


def test_every_part_of_every_table_fits(study, results, printed):
    for table in printed(study, results):
        for part, layout in parts(table):
            assert layout.total <= TEXT_WIDTH + 1, part.key


def test_widths_grow_with_the_text_and_the_size():
    assert width("WW") > width("ii")
    assert width("a" * 10, NORMAL) > width("a" * 10, FOOTNOTE)
    assert width("é") == width("e")


HARD = {
    "datasets": {"A long label (of 2 data sets) with/many+signs_1": "lab_plugins.Ratings(name=alpha)"},
    "systems": {f"A system with a long name {n}": f"lab_plugins.Neighbours(k={n + 1})" for n in range(21)},
    "vary": {"split": ["random(ratio=0.2)"], "correction": ["holm"], "targets": ["one_r"]},
    "metrics": ["P@10", "nDCG(gain=exp)@10", "RBP(phi=0.8,gain=exp)@10", "RMSE", "AP@100", "RR@100", "AUC", "Unrated@10"],
    "published": [],
    "published_comparisons": [],
}


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
@pytest.mark.parametrize("changes", [{}, HARD])
def test_plain_latex_compiles_all_tables_and_every_one_fits_its_page(make_study, make_results, printed, tmp_path, changes):
    study = make_study(**changes)
    signs = of(["Ελληνικά τ φ λ", "ñ Č ø ß"], [("50 % & #1_$x^2 ~ {a} \\ 日 ‹s› …", texts(["w̄ ≥ ½ √2 ∝ Σ", '"quoted" `tick`']))])
    tables = [*printed(study, make_results(study)), signs]
    (tmp_path / "tables.tex").write_text(to_latex(tables))
    assert complaints(tmp_path, "\\documentclass{article}\n\\usepackage{booktabs}", "tables") == []


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
@pytest.mark.parametrize("options", ["", "[twocolumn]"])
def test_a_methods_paragraph_full_of_specs_fits_a_page_and_a_column(tmp_path, options):
    specs = "RBP(phi=0.8,gain=binary)@10 (= RBP(gain=binary,phi=0.8)@10), hkv(preset=canamares2020-as-printed) and kNN. "
    write_methods(f"We measured {20 * specs}".strip(), [tmp_path / "methods.tex"])
    assert complaints(tmp_path, f"\\documentclass{options}{{article}}", "methods") == []


def complaints(folder: Path, head: str, name: str) -> list[str]:
    """List LaTeX's warnings about overfull boxes; fail if the file does not compile."""
    (folder / "paper.tex").write_text(f"{head}\n\\begin{{document}}\n\\input{{{name}}}\n\\end{{document}}\n")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"],  # noqa: S607 - found above
        cwd=folder, capture_output=True, check=False,
    )  # fmt: skip
    log = (folder / "paper.log").read_text(errors="replace")
    assert done.returncode == 0, log[-2000:]
    return re.findall(r"^(?:! .*|Overfull .*|.*Float too large.*|Missing character.*)$", log, flags=re.MULTILINE)
