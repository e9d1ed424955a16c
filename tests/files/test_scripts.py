"""Text in other encodings than UTF-8: Western Europe's are read, others are named."""

import pytest
from click.testing import CliRunner

import recsens
from recsens.cli import main
from recsens.data.inspection import Inspection
from recsens.errors import DataError
from recsens.files.kinds import QRELS
from recsens.inputs.forms import read_any_rows

PAIRS = [(user, item, 1 + (user * item) % 5) for user in range(8) for item in range(6)]


def written(folder, encoding, header, names):
    rows = [f"u{user},{names[item % len(names)]}{item},{rating}" for user, item, rating in PAIRS]
    path = folder / "r.csv"
    path.write_bytes("\n".join([header, *rows, ""]).encode(encoding))
    return path


SCRIPTS = {
    "cp932": ("user,item,rating", ["寿司セット", "うどん", "コーヒー"]),
    "euc_jp": ("user,item,rating", ["寿司セット", "うどん", "コーヒー"]),
    "gb18030": ("user,item,rating", ["红楼梦", "西游记"]),
    "big5": ("user,item,rating", ["紅樓夢", "西遊記"]),
    "euc_kr": ("user,item,rating", ["기생충", "올드보이"]),
    "cp1251": ("user,item,rating", ["Война и мир", "Идиот"]),
    "koi8_r": ("user,item,rating", ["Война и мир", "Идиот"]),
}


@pytest.mark.parametrize("encoding", SCRIPTS)
def test_another_script_is_refused_with_its_encoding_at_every_door(encoding, tmp_path):
    header, names = SCRIPTS[encoding]
    path = written(tmp_path, encoding, header, names)
    first = next(line for line in (header, f"u0,{names[0]}0,1") if not line.isascii())
    said = f"encoding={encoding} if this is right: {first[:30]}"
    for door in (Inspection.of, recsens.load, lambda given: read_any_rows(given, QRELS)):
        with pytest.raises(DataError, match="its letters are not those of Western Europe") as refused:
            door(path)
        assert said in str(refused.value.allowed)
    assert said in CliRunner().invoke(main, ["init", str(path), "--to", str(tmp_path / "study.yaml")]).output
    spec = f'delimited(path="{path}",separator=",",header=true,user=0,item=1,rating=2,encoding={encoding})'
    assert f"{names[0]}0" in set(recsens.load(spec).frame["item"])


KNOWN = {
    "cp932": "会員番号,商品コード,評価",
    "euc_jp": "会員番号,商品コード,評価",
    "gb18030": "用户,商品,评分",
    "cp1251": "Пользователь,Фильм,Оценка",
    "koi8_r": "user,item,оценка",
    "cp1250": "Użytkownik,Książka,Ocena",
}


@pytest.mark.parametrize("encoding", KNOWN)
def test_an_encoding_that_makes_the_names_of_columns_known_is_read_at_every_door(encoding, tmp_path):
    names = SCRIPTS.get(encoding, ("", ["Żółć", "Noc i dnie"]))[1]
    path = written(tmp_path, encoding, KNOWN[encoding], names)
    read = [set(recsens.load(path).frame["item"]), set(Inspection.of(path).table.item), set(read_any_rows(path, QRELS).item)]
    assert read == [{f"{names[item % len(names)]}{item}" for item in range(6)}] * 3


@pytest.mark.parametrize("names", [["Amélie", "Das große Öffnen"], ["Señora", "Fräulein Smillas Gespür"], ["Prix 5 €", "Über“"]])
def test_western_names_are_read(names, tmp_path):
    path = written(tmp_path, "cp1252", "user,item,rating", names)
    assert set(recsens.load(path).frame["item"]) == {f"{names[item % 2]}{item}" for item in range(6)}


def test_where_western_letters_are_in_doubt_they_are_among_the_readings(tmp_path):
    """Two accented letters beside each other, and no other, are unusual; as Shift-JIS, they would be one letter."""
    path = written(tmp_path, "cp1252", "user,item,rating", ["Pää"])
    with pytest.raises(DataError) as refused:
        recsens.load(path)
    assert "encoding=cp1252 if this is right: u0,Pää0,1" in str(refused.value.allowed)
