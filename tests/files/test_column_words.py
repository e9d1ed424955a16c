"""Words in the names of columns, and what columns determine, decide their roles without a doubt."""

import pytest

import recsens
from recsens.data.inspection import Inspection
from recsens.files.column_names import role_called
from recsens.files.recognised import may_label, may_rate

NAMED = {
    "user": "kundennr nip_nabywcy lyssnar_id Medlemsnummer swiper_id visitor_site_id клиента 고객번호 πελάτη",
    "item": "PZN bib_id Varunummer symbol_towaru PART_NO productViewName código_de_barras PRODCD товара",
    "timestamp": "liked_at rated_on viewedAt DAY completed_on",
    "rating": "note_sur_10 is_liked",
    None: "season price_at Renewals shipped_at screen weekday unidades Refills surface чека",
}


@pytest.mark.parametrize(("role", "name"), [(role, name) for role, names in NAMED.items() for name in names.split()])
def test_a_name_means_what_its_words_mean(role, name):
    assert role_called(name) == role


@pytest.mark.parametrize("name", ["rooms", "Verlängerungen", "unidades", "order_step", "position", "Ilość"])
def test_facts_and_quantities_are_no_ratings(name):
    assert not may_rate(name, ["1", "2", "3", "5"])
    assert may_rate("genderFit", ["1", "2", "3", "5"])


@pytest.mark.parametrize(
    ("name", "may"), [("Gift wrap", False), ("is_member", False), ("session_start", False), ("returned", True)]
)
def test_yes_and_no_label_rows_unless_they_describe_an_occasion(name, may):
    assert may_label(name, ["yes", "no"]) == may


def test_small_numbers_of_which_most_are_the_lowest_count_something():
    assert not may_rate("x", ["0"] * 6 + ["1", "2", "3"])
    assert may_rate("x", ["0", "1", "2", "3"])


PAIRS = [(user, item) for user in range(20) for item in range(15) if (7 * user + 5 * item) % 8 < 3]
SURE = {
    "an order has one user, who is not an order": (
        "invoice,paid,holder,good",
        "F/{order},2024-01-{day:02d},h{user},g{item}",
        ("holder", "good", None, "paid"),
    ),
    "what belongs to one user is no item": (
        "user_id,visit_token,ware,seen_at",
        "u{user},v{order},w{item},2024-01-{day:02d} 10:00:00",
        ("user_id", "ware", None, "seen_at"),
    ),
    "facts about items": (
        "member,listing,rooms_x,at",
        "m{user},l{item},{fact},2024-01-{day:02d}",
        ("member", "listing", None, "at"),
    ),
    "an event's day beside its time": (
        "user,item,event_time,event_date",
        "u{user},i{item},17040672{second:02d}000000,20240101",
        ("user", "item", None, "event_time"),
    ),
    "numbers of days in order": (
        "household,day,product,trans_time",
        "h{user},{at},p{item},11{second:02d}",
        ("household", "product", None, "day"),
    ),
    "people who rate people": ("swiper_id,profile_id,liked", "{user},{item}9,{like}", ("swiper_id", "profile_id", "liked", None)),
}


@pytest.mark.parametrize("kind", SURE)
def test_columns_are_told_apart_by_what_they_determine(kind, tmp_path):
    header, row, roles = SURE[kind]
    path = tmp_path / "r.csv"
    lines = [
        row.format(
            user=user,
            item=item,
            at=at,
            order=user * 2 + item // 8,
            day=1 + (user * 2 + item // 8) % 28,
            second=at % 60,
            fact=1 + item % 5,
            like=at % 2,
        )
        for at, (user, item) in enumerate(PAIRS)
    ]
    path.write_text("\n".join([header, *lines]))
    found = Inspection.of(path)
    assert tuple(found.roles.values()) == roles
    assert not any(doubt.is_refused for doubt in found.doubts)


def test_the_lines_about_refunds_leave_them_out(tmp_path):
    path = tmp_path / "r.csv"
    lines = [f"c{user},s{item},{-1 if (user, item) == (0, 0) else 2 + item % 3}" for user, item in PAIRS for _ in range(2)]
    path.write_text("\n".join(["customer,sku,quantity", *lines]))
    [said] = [doubt.said for doubt in Inspection.of(path).doubts if "refunds" in doubt.said]
    declared = said.partition("declare ")[2].partition(", and")[0]
    spec = f'delimited(path="{path}",separator=",",header=true,user=customer,item=sku,timestamp=null,{declared})'
    loaded = recsens.load(spec).frame
    assert len(loaded) == len(PAIRS) - 1
    assert loaded["rating"].min() == 2 * 2
