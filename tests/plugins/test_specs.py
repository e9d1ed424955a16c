"""Components as text and as folder names: each has one canonical form, however it is written."""

import re
import string
from functools import partial
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from approved import refusal
from recsens.errors import SpecError
from recsens.plugins.specs import (
    MAX_SLUG,
    NAME,
    SLUG,
    Chain,
    Spec,
    format_number,
    format_value,
    parse,
    parse_chain,
    parse_chain_slug,
    parse_slug,
)

letters = string.ascii_letters + "_"
keys = st.from_regex(r"[a-z_][a-z0-9_]{0,5}", fullmatch=True)
names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,9}(\.[A-Za-z_][A-Za-z0-9_]{0,9})?", fullmatch=True)
texts = (
    st.text(max_size=8)
    | st.text(alphabet='",()[]=@+~\\/ éπ☃𝄞\n\t01.-eE', max_size=8)
    | st.sampled_from(["true", "null", "1e5", "-"])
)
atoms = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts


def specs_of(values: st.SearchStrategy, min_size: int = 0) -> st.SearchStrategy[Spec]:
    """Specs with parameters of these values."""
    params = st.dictionaries(keys, values, min_size=min_size, max_size=3)
    return st.builds(lambda name, given: Spec(name, tuple(given.items())), names, params)


# A nested component without parameters looks like a name: the plug-in that receives it tells them apart.
values = st.recursive(atoms, lambda inner: st.lists(inner, max_size=3).map(tuple) | specs_of(inner, min_size=1), max_leaves=6)
specs = specs_of(values)


def typed(value: object) -> object:
    """Distinguish True from 1, which are equal in Python."""
    match value:
        case Spec():
            return value.name, [(key, typed(inner)) for key, inner in value.params], typed(value.positional)
        case tuple():
            return [typed(inner) for inner in value]
        case bool():
            return "bool", value
        case _:
            return value


# Round trips


@given(specs)
def test_text_is_read_back_as_the_same_spec(spec):
    assert typed(parse(str(spec))) == typed(spec)
    assert str(parse(str(spec))) == str(spec)


@given(specs)
def test_a_slug_is_read_back_as_the_same_spec_or_abbreviates_it(spec):
    if spec.has_digest:
        with pytest.raises(SpecError, match="only abbreviates a component"):
            parse_slug(spec.slug)
    else:
        assert typed(parse_slug(spec.slug)) == typed(spec)


@given(st.lists(specs, min_size=1, max_size=4))
def test_chains_are_read_back_from_text_and_slug(links):
    chain = Chain(tuple(links))
    assert typed(tuple(parse_chain(str(chain)))) == typed(tuple(links))
    if "@sha=" not in chain.slug:
        assert typed(tuple(parse_chain_slug(chain.slug))) == typed(tuple(links))


@given(specs, st.text(alphabet=" \t\n", max_size=3))
def test_spaces_between_the_parts_do_not_matter(spec, space):
    inner = f",{space}".join(f"{key}{space}={space}{format_value(value)}" for key, value in spec.params)
    assert parse(f"{space}{spec.name}{space}({space}{inner}{space}){space}") == spec


# Folder names


@given(specs)
def test_a_slug_holds_safe_characters_only_and_never_a_comma(spec):
    assert re.fullmatch(SLUG, spec.slug)
    assert not set(spec.slug) & set(",/ '\"\\:*?")


@given(specs)
def test_a_slug_is_never_longer_than_the_limit(spec):
    assert len(spec.slug) <= MAX_SLUG


@given(st.lists(specs, min_size=1, max_size=6))
def test_a_chains_slug_is_never_longer_than_the_limit(links):
    slug = Chain(tuple(links)).slug
    assert len(slug) <= MAX_SLUG
    assert re.fullmatch(SLUG, slug)


@given(st.lists(specs, min_size=2, max_size=25, unique_by=str))
def test_different_specs_never_share_a_slug(different):
    assert len({spec.slug for spec in different}) == len(different)


def test_near_specs_never_share_a_slug():
    marks = [
        "a",
        "A",
        "a ",
        "a=b",
        "a@b",
        "a+b",
        "a,b",
        "a~b",
        "a~2Cb",
        '"',
        "'",
        "é",
        "e\u0301",
        "1",
        "1.0",
        "",
        "null",
        "[a]",
        "b(k=1)",
    ]
    different = [Spec("x", (("k", mark),)) for mark in marks]
    different += [Spec("x", (("k", value),)) for value in (None, 1, True, ("a",), (("a",),), ("a", "b"), Spec("b", (("k", 1),)))]
    different += [Spec("x", (("k", "a"), ("l", "b"))), Spec("x", (("k", "a@l=b"),)), Spec("x", (("k", "z" * 60),))]
    different += [Spec("x", (("k", "z" * 61),)), Spec("x", (("k", "z" * 60 + "y"),))]
    assert len({spec.slug for spec in different}) == len(different)


def test_the_limit_is_exact():
    fits = Spec("x", (("k", "v" * (MAX_SLUG - 4)),))
    assert fits.slug == "x@k=" + "v" * 56
    assert not fits.has_digest
    longer = fits.with_params(k="v" * 57)
    assert longer.has_digest
    assert re.fullmatch(r"x@sha=[0-9a-f]{10}", longer.slug)


def test_an_abbreviation_of_a_dotted_name_keeps_the_class():
    spec = Spec(".".join(["laboratory"] * 6) + ".Foo")
    assert re.fullmatch(r"Foo@sha=[0-9a-f]{10}", spec.slug)
    assert len(Spec("y" * 100).slug) == MAX_SLUG


def test_characters_outside_the_plain_ones_are_written_as_their_bytes():
    assert Spec("x", (("path", "é,☃"),)).slug == "x@path=~22~C3~A9~2C~E2~98~83~22"


def test_a_chain_abbreviates_its_long_links_and_then_itself():
    long = Spec("b", (("k", "v" * 80),))
    assert Chain((Spec("a"), long)).slug == f"a+{long.slug}"
    many = Chain((long,) * 4)
    assert re.fullmatch(r"chain@sha=[0-9a-f]{10}", many.slug)
    for chain in (Chain((Spec("a"), long)), many):
        with pytest.raises(SpecError, match="only abbreviates"):
            parse_chain_slug(chain.slug)


# One canonical form


@pytest.mark.parametrize(
    ("written", "value", "canonical"),
    [
        ("nDCG@10", "nDCG@10", "x(k=nDCG@10)"),
        ("nDCG(gain=exp,ideal=full)@5", "nDCG(gain=exp,ideal=full)@5", 'x(k="nDCG(gain=exp,ideal=full)@5")'),
        ('"nDCG(gain=exp)@5"', "nDCG(gain=exp)@5", 'x(k="nDCG(gain=exp)@5")'),
        ("10@5", "10@5", "x(k=10@5)"),
    ],
)
def test_a_metric_at_a_cutoff_is_text(written, value, canonical):
    spec = parse(f"x(k={written})")
    assert spec.get("k") == value
    assert str(spec) == canonical
    assert parse(canonical) == parse_slug(spec.slug) == spec


@pytest.mark.parametrize("written", ["1e2", "100.0", "100", "1E+2", "+100", "100.", "1000e-1", "0100"])
def test_one_number_has_one_folder(written):
    spec = parse(f"x(k={written})")
    assert str(spec) == "x(k=100)"
    assert spec.slug == "x@k=100"


@pytest.mark.parametrize(
    ("written", "canonical"), [(".5", "0.5"), ("5e-1", "0.5"), ("-0.0", "0"), ("1e-7", "0.0000001"), ("-.25", "-0.25")]
)
def test_fractions_have_one_form_without_exponent(written, canonical):
    assert str(parse(f"x(k={written})")) == f"x(k={canonical})"


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_number_is_read_back_exactly(number):
    text = format_number(number)
    assert float(text) == number
    assert "e" not in text.lower()


def test_parameters_stand_in_alphabetical_order_whatever_order_they_are_given_in():
    for order in permutations(["b=2", "a=1", "c=[x,y]"]):
        assert str(parse(f"m({','.join(order)})")) == "m(a=1,b=2,c=[x,y])"


def test_no_parameters_may_be_written_with_empty_parentheses():
    assert parse("x()") == parse("x") == Spec("x")


def test_numbers_and_constants_in_quotes_stay_text():
    spec = parse('x(a="1",b="true",c="null",d="plain")')
    assert dict(spec.params) == {"a": "1", "b": "true", "c": "null", "d": "plain"}
    assert str(spec) == 'x(a="1",b="true",c="null",d=plain)'


def test_a_nested_component_keeps_its_parameters():
    inner = parse("tuned(of=slim(l1=.5,l2=[1,2]),trials=10)").get("of")
    assert inner == Spec("slim", (("l1", 0.5), ("l2", (1, 2))))


def test_one_unnamed_value_is_kept_for_the_plugin_to_name():
    spec = parse("per_user(random(ratio=0.8),seed=1)")
    assert spec.positional == Spec("random", (("ratio", 0.8),))
    assert str(spec) == "per_user(random(ratio=0.8),seed=1)"


def test_parameters_are_added_replaced_and_taken_away():
    spec = parse("x(a=1,b=2)")
    assert str(spec.with_params(b=3, c=4)) == "x(a=1,b=3,c=4)"
    assert str(spec.without("a", "z")) == "x(b=2)"
    assert spec.get("z") is None


# Refusals


SLUGS = """
    user_knn@similarity=cosine@k=50 x@k=1e2 x@k=.5 x@k=~61 x@k=~22a~22 x@k=~20a
    x@k x@=1 x@k=1@k=2 x@1=k @k=1 x@k= x@k=~C3~22 x@k=a,b x@k=~zz a@k=é
"""
"""Folder names that are not canonical, then those outside the grammar."""
TEXTS = (
    *("x(k=)", "x(k=1", "x(k=1;l=2)", "x(k=1))", "x(k=1) y", "x(k=[1,)", "x(k=[1 2])", "x(k=1,k=2)", "x(k=1,2)", "9x", ""),
    *('x(k="a)', "x(k=a b)", "x(k=é)", "x(k=1e999)", "x(k=-1e999)", "x(k=" + "9" * 400 + ")", r'x(k="\ud800")'),
)


def test_a_message_points_at_the_character_or_says_the_canonical_form(approved):
    told = {f"folder {slug}": refusal(partial(parse_slug, slug), SpecError) for slug in (*SLUGS.split(), "", "x y")}
    told |= {f"spec {text[:20]}": refusal(partial(parse, text), SpecError) for text in TEXTS}
    told |= {f"chain {text}": refusal(partial(parse_chain, text), SpecError) for text in ("a+", "+a", "a++b", "a b", "a(k=1)b")}
    for number in (float("nan"), float("inf"), float("-inf")):
        told[f"the value {number}"] = refusal(partial(format_value, number), SpecError)
    approved(told)


@given(st.text(max_size=20) | st.text(alphabet='ab(),=[]"1.e+-@~ ', max_size=14))
def test_any_text_is_either_read_or_refused_as_a_spec(text):
    for read in (parse, parse_chain, parse_slug, parse_chain_slug):
        try:
            found = read(text)
        except SpecError:
            continue
        assert read is parse_slug or read is parse_chain_slug or re.match(NAME, str(found))
