"""Another program as a recommender: what it receives, what it may do, and a clear message for each fault."""

import fcntl
import json
import os
import sys
import tempfile
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import sleep

import numpy as np
import pytest

from approved import refusal as refused_call
from recsens import plugins
from recsens.data.interactions import Interactions, SideTable
from recsens.errors import ConfigError, DesignError, RecsensError, SpecError
from recsens.files.paths import relative_to_study
from recsens.plugins.specs import parse
from recsens.recommenders import Extent
from recsens.recommenders import _program_folder as process
from recsens.recommenders import program as programs
from recsens.recommenders._program_folder import ProgramError, places_in_folder
from recsens.recommenders.program import PRINTED, Command, Program
from recsens.recommenders.tuned import Tuned
from recsens.seeds import Stream
from recsens.testing import from_rows

ALL_USERS = "user,item,score\\n007,a,1\\nZoë,a,2\\n"
GOOD = f"printf '{ALL_USERS}' > $2"
EXTENT = Extent(users=10, items=10, ratings=50)
PYTHON = f'"{sys.executable}" -c'


@pytest.fixture
def train() -> Interactions:
    """Three users, the last without train ratings, and three items."""
    rows = from_rows([[5, None, None], [None, 4, None], [None, None, None]])
    ids = (np.array(names, dtype=np.object_) for names in (["007", "Zoë", "cold"], ["a", "b,c", 'd"e']))
    return replace(rows, **dict(zip(("user_ids", "item_ids"), ids, strict=True)))


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    monkeypatch.setattr(process, "GRACE", 0.3)
    monkeypatch.setattr(process, "_LOOK", 0.05)


def fitted(train: Interactions, script: str, run: str = "sh mine.sh {train} {scores}", **params: object) -> Program:
    Path("mine.sh").write_text(script, encoding="utf-8")
    return Program(run=run, files=("mine.sh",), **params).fit(train, np.random.default_rng(1))  # type: ignore[arg-type]


def refusal(train: Interactions, script: str, **params: object) -> str:
    """Return the error message for a program; no process that it has started is left."""
    with pytest.raises(RecsensError) as caught:
        fitted(train, script, **params)  # type: ignore[arg-type]
    assert not still_running()
    return str(caught.value)


def still_running() -> list[str]:
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            mark = f"RECSENS_PROGRAM={tempfile.gettempdir()}".encode()
            if mark in (entry / "environ").read_bytes() and b") Z" not in (entry / "stat").read_bytes():
                found.append((entry / "cmdline").read_text())
    return found


def test_a_program_learns_from_files_and_its_scores_are_kept(train):
    rows = replace(train, timestamp=np.array([10, 20]))
    script = f"cat $1 users.csv items.csv >&2; {GOOD}"
    program = fitted(rows, script)
    np.testing.assert_array_equal(program.score(rows, np.arange(3)), [[1, np.nan, np.nan], [2, np.nan, np.nan], [np.nan] * 3])


def test_the_folder_holds_names_as_in_the_raw_data_and_no_more(train):
    told = replace(train, timestamp=np.array([10, 20]), item_ids=np.array(["a", "b", "c"], dtype=np.object_))
    message = refusal(told, "ls -Am; cat train.csv users.csv items.csv; exit 1")
    shown = [line.removeprefix("    | ") for line in message.splitlines() if line.startswith("    | ")]
    assert shown == [
        "items.csv, mine.sh, tmp, train.csv, users.csv",
        *("user,item,rating,timestamp", "007,a,5,10", "Zoë,b,4,20"),
        *("user", "007", "Zoë"),
        *("item", "a", "b", "c"),
    ]


def test_arguments_are_split_before_words_are_filled_and_no_shell_reads_them(train, tmp_path):
    run = f"""{PYTHON} "import sys, json; open('args.json', 'w').write(json.dumps(sys.argv[3:]))
open(sys.argv[2], 'w').write('user,item,score\\n007,a,1\\nZoë,a,2\\n')
print(json.dumps(sys.argv[3:]))" {{train}} {{scores}} --a={{a}} {{b}} 'two words' {{{{x}}}} \\"q\\" $HOME * {{seed}} {{threads}}"""
    odd = '\'; rm -rf / "{a}" $(id) {{'
    program = Program(run=run, a=odd, b="", threads=2).fit(train, np.random.default_rng(1))
    assert program.score(train, np.array([0]))[0, 0] == 1
    with pytest.raises(ProgramError, match="exit code 1") as caught:
        Program(run=run.replace("print(", "sys.exit("), a=odd, b="", threads=2).fit(train, np.random.default_rng(1))
    shown = json.loads(next(line for line in str(caught.value).splitlines() if line.startswith("    | ["))[6:])
    assert shown[:7] == [f"--a={odd}", "", "two words", "{x}", '"q"', "$HOME", "*"]
    assert shown[7] == str(np.random.default_rng(1).integers(2**31))
    assert shown[8] == "2"


def test_words_are_written_as_in_a_study():
    command = Command.read("x {k} {rate} {flag} {name}")
    values = {"k": 20, "rate": 0.00001, "flag": True, "name": "a b"}
    assert [programs.placeholder_text(value) for value in values.values()] == ["20", "0.00001", "true", "a b"]
    assert command.words() == list(values)


def test_a_spec_with_words_of_its_own_is_read_back(tmp_path):
    Path("mine.py").touch()
    text = 'program(files=[mine.py],k=20,run="python mine.py {train} {scores} --k {k}")'
    program = Program.build(text)
    assert str(program.spec) == text
    assert plugins.build("recommender", parse(str(program.full_spec))) == program
    assert program.words == {"k": 20}
    assert not program.deterministic
    assert program.n_threads == 1


def test_words_are_tuned_like_parameters():
    def tuned(search: str) -> Tuned:
        return Tuned.build(f'tuned(of=program(run="x {{scores}} {{k}} {{rate}}",k=1,rate=0.5),search={search})')

    stream = Stream.of(1, "search")
    grid = tuned("grid(k=[10,50],rate=[0.1])").candidates(stream)
    assert [str(each) for each in grid] == ["k=10, rate=0.1", "k=50, rate=0.1"]
    drawn = tuned("random(trials=3,k=uniform(low=1,high=9),rate=uniform(low=0,high=1))").candidates(stream)
    assert all(isinstance(dict(each.params)["k"], int) and 0 < dict(each.params)["rate"] < 1 for each in drawn)
    assert tuned("grid(k=[1,2,3])").seconds_needed(EXTENT) == 4 * Program(run="x {scores}").seconds_needed(EXTENT)
    for search, said in {
        "grid(z=[1])": "'z' is not in the command",
        "grid(files=[a])": "no parameter 'files'",
        "grid(run=[a])": "no parameter 'run'",
    }.items():
        with pytest.raises(SpecError, match=said):
            tuned(search)


def test_words_may_be_called_like_anything_of_ours(train):
    names = ("kind", "fit", "spec", "model", "label", "preset", "path", "_learned", "model_fields", "words", "copy", "json")
    run = f"sh mine.sh {{train}} {{scores}} {' '.join(f'{{{name}}}' for name in names)}"
    program = fitted(train, GOOD, run, **dict.fromkeys(names, 1))
    assert program.words == dict.fromkeys(names, 1)
    assert Program.build(str(program.full_spec)).spec == program.spec


def test_the_address_follows_files_environment_and_words_but_not_where_files_lie(tmp_path):
    def slug(place: str, text: str = "1", lock: str = "1", k: int = 20) -> str:
        plugins.address.cache_clear()
        folder = Path(place)
        folder.mkdir(exist_ok=True)
        (folder / "mine.py").write_text(text, encoding="utf-8")
        (folder / "lock.txt").write_text(lock, encoding="utf-8")
        run = 'run="python mine.py {train} {scores} {k}"'
        return plugins.address(
            "recommender", parse(f"program({run},files={place}/mine.py,environment={place}/lock.txt,k={k})")
        ).slug

    first = slug("one")
    assert slug("two") == first
    assert len({first, slug("one", text="2"), slug("one", lock="2"), slug("one", k=21)}) == 4


def test_the_address_follows_where_files_lie_in_the_folder(tmp_path):
    def slug(files: str, m: str = "1", n: str = "2") -> str:
        plugins.address.cache_clear()
        for name, text in {"m.py": m, "n.py": n, "opt.txt": "x", "lib/opt.txt": "x", "new.txt": "x"}.items():
            Path(name).parent.mkdir(exist_ok=True)
            Path(name).write_text(text, encoding="utf-8")
        return plugins.address("recommender", parse(f'program(run="python m.py {{scores}}",files={files})')).slug

    places = ("[m.py,opt.txt]", "[m.py,new.txt]", "[m.py,lib/opt.txt]", "[m.py],environment=opt.txt")
    assert len(set(map(slug, places))) == 4
    assert slug("[m.py],environment=opt.txt") == slug("[m.py],environment=new.txt")
    assert slug("[m.py,n.py]") != slug("[n.py,m.py]", m="2", n="1")


def test_the_content_alone_counts_of_other_files(tmp_path):
    Path("s.csv").write_text("user,item,score\n1,1,1\n", encoding="utf-8")
    assert plugins.address("recommender", parse("from_file(path=s.csv)")).slug == "from_file@source=8870153b46"


def test_files_beside_the_study_are_found_and_keep_their_paths(tmp_path):
    (tmp_path / "mine/lib").mkdir(parents=True)
    for name in ("mine/run.py", "mine/lib/part.py", "mine/own.lock"):
        (tmp_path / name).touch()
    with relative_to_study(tmp_path / "mine/study.yaml"):
        program = Program(run="python lib/part.py {train} {scores}", files=("lib/part.py",))
        both = Program(run="python run.py {train} {scores}", files=("run.py", "lib/part.py"), environment="own.lock")
    assert both.own_files()[-1] == tmp_path / "mine/own.lock"
    assert list(places_in_folder(program.files, Command.read(str(program.run)).arguments)) == ["lib/part.py"]
    assert list(places_in_folder(both.files, Command.read(str(both.run)).arguments)) == ["run.py", "lib/part.py"]
    assert str(program.with_file_names(program.spec)) == "program(run=part.py)"


def test_no_file_leads_out_of_the_folder(train, tmp_path):
    (tmp_path / "study").mkdir()
    (tmp_path / "shared").mkdir()
    for name in ("study/m.py", "shared/helper.py"):
        (tmp_path / name).touch()
    for files in (("study/m.py", "study/../shared/helper.py"), ("study/../study/m.py", f"{tmp_path}/study/../shared/helper.py")):
        program = Program(run="mine {scores}", files=files)
        assert list(places_in_folder(program.files, Command.read(str(program.run)).arguments)) == ["study/m.py", "shared/helper.py"]
        folder = tmp_path / "tmp/folder"
        folder.mkdir(exist_ok=True)
        program.prepare(folder, train, np.random.default_rng(1))
        assert (folder / "shared/helper.py").exists()
        assert not (tmp_path / "tmp/shared").exists()


def test_the_command_finds_the_files_that_it_names_wherever_others_lie(tmp_path):
    for name in ("study/m.py", "study/lib/n.py", "shared/helper.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    elsewhere = "/elsewhere/helper.py"

    def places(run: str, *files: str) -> list[str]:
        program = Program(run=f"{run} {{scores}}", files=files)
        return list(places_in_folder(program.files, Command.read(str(program.run)).arguments))

    for study in (tmp_path / "study/study.yaml", Path("study/study.yaml")):
        with relative_to_study(study):
            assert places("python m.py", "m.py", "../shared/helper.py") == ["m.py", "helper.py"]
            assert places("python m.py", "m.py", elsewhere) == ["m.py", "helper.py"]
            assert places("python m.py lib/n.py", "m.py", "lib/n.py", elsewhere) == ["m.py", "lib/n.py", "helper.py"]
            assert places("python lib/n.py", "m.py", "lib/n.py") == ["m.py", "lib/n.py"]
            assert places("mine", "m.py", elsewhere) == ["m.py", "helper.py"]
            with pytest.raises(ValueError, match=r"'\.\./shared/helper\.py' is 'helper\.py' in the program's own folder"):
                places("python m.py ../shared/helper.py", "m.py", "../shared/helper.py")


def test_validation_and_side_columns_are_passed_on_if_asked_for(train):
    told = replace(
        train,
        user_table=SideTable.of({"age": [20, None, 41.5]}),
        item_table=SideTable.of({"genres": [["x", "y"], [], None], "year": [1, 2, 3]}),
    )
    every = "user,item,score\\n007,a,1\\nZoë,a,2\\ncold,a,3\\n"
    Path("mine.sh").write_text(f"cat validation.csv users.csv items.csv; printf '{every}' > $1; exit $2", encoding="utf-8")
    program = Program(run="sh mine.sh {scores} {code} {validation}", code=1, files=("mine.sh",), side=("user.age", "item.genres"))
    assert program.side_information == ("user.age", "item.genres")
    with pytest.raises(ProgramError) as caught:
        program.with_validation(train).fit(told, np.random.default_rng(1))
    lines = [line[6:] for line in str(caught.value).splitlines() if line.startswith("    | ")]
    assert lines == [
        *("user,item,rating", '"007","a",5', '"Zoë","b,c",4'),
        *("user,user.age", "007,20", "Zoë,", "cold,41.5"),
        *("item,item.genres", '"a","[""x"", ""y""]"', '"b,c","[]"', '"d""e",'),
    ]
    with pytest.raises(DesignError, match="no validation set"):
        program.fit(told, np.random.default_rng(1))


def test_nothing_of_ours_is_in_the_environment(train, monkeypatch):
    monkeypatch.setenv("RECSENS_DATA", "/secret")
    monkeypatch.setenv("PYTHONSAFEPATH", "1")
    message = refusal(train, 'echo "<$RECSENS_DATA$PYTHONSAFEPATH>" $OMP_NUM_THREADS ${TMPDIR#$PWD}; exit 1', threads=3)
    assert "| <> 3 /tmp" in message


def test_a_file_of_scores_of_a_former_run_is_never_read(train):
    for place in (Path("scores"), Path("scores.csv"), Path("results")):
        place.write_text(ALL_USERS.replace("\\n", "\n"), encoding="utf-8")
    assert "wrote no scores" in refusal(train, "true")


NPZ = f'{PYTHON} "import sys, numpy as np; np.savez(sys.argv[1], **eval(sys.argv[2]))" {{scores}}'
IDS = "users=np.array(['007','Zoë']), items=np.array(['a','b,c'])"


@pytest.mark.parametrize(
    "arrays",
    [
        f"dict(recsens_scores=1, kind='factors', {IDS}, user_factors=np.ones((2,1)), item_factors=np.ones((2,1)))",
        f"dict(recsens_scores=1, kind='dense', {IDS}, scores=np.ones((2,2), dtype=np.float16))",
    ],
)
def test_compact_scores_are_read_with_the_ending_that_numpy_adds(train, arrays):
    program = Program(run=f"{NPZ} {{arrays}}", arrays=arrays).fit(train, np.random.default_rng(1))
    assert (program.score(train, np.array([0, 1]))[:, :2] == 1).all()
    copy = Program(run=f"{NPZ} {{arrays}}", arrays=arrays).restore(program.learned)
    np.testing.assert_array_equal(copy.score(train, np.array([2])), [[np.nan] * 3])


def test_what_the_versions_command_prints_is_kept(train):
    program = fitted(train, GOOD, versions="echo numpy 1.0")
    assert program.learned[PRINTED].tobytes() == b"numpy 1.0"
    assert PRINTED not in fitted(train, GOOD).learned


BAD_SPECS = (
    """run="x 'y {scores}\"""",
    'run=""',
    'run="x {tain} {scores}"',
    'run="x {scores} {0}"',
    'run="x {scores}",k=3',
    'run="x {scores}",minute=5',
    'run="x {train}"',
    'run="x {scores} }"',
    'run="x {scores} {k",k=1',
    'run="x {scores} && y"',
    'run="x > {scores}"',
    'run="cat {train} | x {scores}"',
    'run="~/bin/x {scores}"',
    'run="x {train} {scores}",train=1',
    'run="x {scores} {source}",source=1',
    'run="x {scores} {k}",k=[1,2]',
    'run="x {scores} {k}",k=user_knn(k=5)',
    'run="x {scores} {k}",k=null',
    'run="x {scores} {k}",k=9223372036854775808',
    'run="python there.py {scores}"',
    'run="./x {scores}"',
    'run="x {scores}",files=[train.csv]',
    'run="x {scores}",files=[a/x.py,a/x.py]',
    'run="x {scores}",versions="pip {x}"',
    'run="x {scores}",side=genres',
    'run="x {scores}",memory=0',
    "k=3",
)


def test_a_command_that_cannot_be_right_is_refused_before_any_run(approved):
    Path("there.py").touch()
    approved({text: refused_call(partial(Program.build, f"program({text})"), SpecError) for text in BAD_SPECS})


def test_a_file_that_the_command_names_by_its_whole_path_must_count(tmp_path):
    script, interpreter = tmp_path / "m.py", tmp_path / "python"
    script.touch()
    interpreter.touch(0o755)
    run = f"nice {interpreter} {script} {{scores}}"
    with pytest.raises(SpecError, match=r"m\.py', which is not in 'files', so its changes would go unnoticed"):
        Program.build(f'program(run="{run}")')
    for known in (f'files=["{script}"]', 'files=["m.py"]', f'environment="{script}"'):
        assert Program.build(f'program(run="{run}",{known})').run == run
    assert Program.build(f'program(run="x {{scores}}",versions="cat {script}")').versions == f"cat {script}"


@pytest.mark.parametrize(("files", "said"), [("none.py", "is missing"), (".", "is a folder")])
def test_own_files_must_be_there(files, said):
    program = Program(run="x {scores}", files=(files,))
    with pytest.raises(ConfigError, match=said):
        plugins.address("recommender", program.spec)


SCORED = NPZ.replace("{scores}", "$2") + ' "dict(recsens_scores=1, {})"'
"""A command that writes compact scores, given the arrays."""

BAD_PROGRAMS: dict[str, tuple[str, str]] = {
    "an error": (
        "echo first; echo 'ValueError: k' >&2; exit 3",
        "ended with exit code 3; its last lines:\n    | first\n    | ValueError",
    ),
    "the name of its folder": ("echo no $PWD/model.bin; exit 1", "    | no model.bin"),
    "silence": ("exit 1", "exit code 1; it printed nothing"),
    "a signal": ("kill -SEGV $$", "was ended by SIGSEGV, a segmentation fault"),
    "no file": ("echo done", "wrote no scores; its last lines:\n    | done"),
    "another ending": ("echo x > $2.pkl", "wrote no scores, only scores.pkl"),
    "two files": (f"{GOOD}; cp $2 $2.csv", "wrote scores and scores.csv, but may write only one"),
    "a folder": ("mkdir $2", "wrote no scores, only scores"),
    "an empty file": (": > $2", "scores: the file of scores is empty"),
    "no header": ("printf '007,a,1\\nZoë,a,2\\n' > $2", "scores:1: no column 'user'"),
    "a run without an ending": (
        "printf '007 Q0 a 1 2.0 x\nZoë Q0 a 1 1.0 x\n' > $2",
        "an ending that says its form: {scores}.trec",
    ),
    "only a header": ("printf 'user,item,score\\n' > $2", "scores"),
    "no number": (f"printf '{ALL_USERS}007,b,high\\n' > $2", "scores:4"),
    "NaN": (f"printf '{ALL_USERS.replace('2', 'nan')}' > $2", "scores:3: "),
    "infinity": (f"printf '{ALL_USERS.replace('2', 'inf')}' > $2", "scores:3: "),
    "a cut line": ("printf 'user,item,score\\n007,a,1\\nZoë,a' > $2", "scores:3: "),
    "another user": (f"printf '{ALL_USERS}7,a,2\\n' > $2", "scored 1 users that are not in users.csv, such as '7'"),
    "numbers of items": ("printf 'user,item,score\\n007,0,1\\nZoë,0,2\\n' > $2", "no item of the file"),
    "another item": (f"printf '{ALL_USERS}007,z,2\\n' > $2", "scored 1 items that are not in items.csv"),
    "a missing user": ("printf 'user,item,score\\n007,a,1\\n' > $2", "no score to 1 of the 2 users in users.csv, such as 'Zoë'"),
    "a pair twice": (f"printf '{ALL_USERS}007,a,2\\n' > $2", "occurs again"),
    "bytes that are no text": ("head -c 100 /dev/urandom > $2", "scores"),
    "a hang": ("echo waiting; sleep 60", "took longer than 0.03 minutes, and was ended; its last lines:\n    | waiting"),
    "a hang that ignores signals": ("trap '' TERM INT HUP; while :; do sleep 60; done", "took longer"),
    "a hang of a child": ("sleep 60 & sleep 60 & wait", "took longer"),
    "a child left behind": (f"{GOOD}; sleep 60 & exit 0", "left processes behind"),
    "a daemon": (f"{GOOD}; setsid sleep 60 > /dev/null 2>&1 < /dev/null & exit 0", "left processes behind"),
    "many children": (f"{GOOD}; for i in 1 2 3 4 5 6 7 8; do (sleep 60; $0 $1 $2) & done; exit 0", "left processes behind"),
    "much output": ("head -c 50000000 /dev/zero | tr '\\0' 'x'; echo; echo the end; exit 1", "    | the end"),
    "an endless line": ("yes | tr -d '\\n' | head -c 1000000; exit 1", "    | yyyy"),
    "signs of a terminal": ("printf '\\033[31mred\\033[0m\\r\\007bad\\n'; exit 1", "    | bad\n"),
    "too large a file": ("head -c 3000000 /dev/zero > $2 || exit 9", "exit code 9"),
    "its folder removed": (f"{GOOD}; rm -rf ./*", "wrote no scores"),
    "a pickle": (f"{sys.executable} -c \"import pickle,sys; pickle.dump([1], open(sys.argv[1], 'wb'))\" $2", "scores"),
    "objects in npz": (NPZ.replace("{scores}", "$2") + ' "dict(a=np.array([{}], dtype=object))"', "scores.npz"),
    "no version in npz": (NPZ.replace("{scores}", "$2") + ' "dict(a=1)"', "scores.npz"),
    "NaN among factors": (
        SCORED.format(f"kind='factors', {IDS}, user_factors=np.full((2,1), np.nan), item_factors=np.ones((2,1))"),
        "user_factors",
    ),
    "another shape": (SCORED.format(f"kind='dense', {IDS}, scores=np.ones((2,3))"), "scores.npz"),
    "a user of NaN": (
        SCORED.format(f"kind='dense', {IDS}, scores=np.array([[1,2],[np.nan,np.nan]])"),
        "no score to 1 of the 2 users",
    ),
    "half an npz": ("printf 'PK\\003\\004half' > $2.npz", "scores.npz"),
    "reads from a terminal": ("read answer || exit 4", "exit code 4"),
    "a pipe": ("mkfifo $2", "wrote no scores, only scores"),
    "a link to nowhere": ("ln -s /nowhere $2", "wrote no scores, only scores"),
    "a device": ("ln -s /dev/zero $2", "wrote no scores, only scores"),
    "a file of the last run, moved": (f"{GOOD}; touch -d 2020-01-01 $2", "scores is older than the program's start"),
    "a file of the last run, linked": (
        f"{GOOD}; mv $2 old; touch -d 2020-01-01 old; ln -s old $2.csv",
        "scores.csv is older than the program's start",
    ),
    "a user twice in npz": (
        SCORED.format("kind='dense', users=np.array(['007','007']), items=np.array(['a','b,c']), scores=np.ones((2,2))"),
        "scores.npz",
    ),
    "an unknown kind": (SCORED.format(f"kind='magic', {IDS}, scores=np.ones((2,2))"), "the array 'kind' says 'magic'"),
    "judged ranks": (
        "printf 'user,item,above,equal,candidates\\n007,a,0,0,2\\nZoë,a,1,0,2\\n' > $2",
        "scores: the program wrote judged ranks",
    ),
    "judged ranks in npz": (
        SCORED.format(f"kind='judged_ranks', {IDS}, user=[0,1], item=[0,0], above=[0,1], equal=[0,0], candidates=[2,2]"),
        "scores.npz: the program wrote judged ranks, but it cannot know which items are judged",
    ),
    "infinity in a matrix": (SCORED.format(f"kind='dense', {IDS}, scores=np.full((2,2), np.inf)"), "scores.npz"),
    "a decimal comma": ("printf 'user;item;score\\n007;a;1,5\\nZoë;a;2,5\\n' > $2", "scores:1"),
    "another encoding": ("printf 'user,item,score\\n007,a,1\\nZo\\353,a,2\\n' > $2", "scores"),
    "an empty cell": ("printf 'user,item,score\\n007,a,\\nZoë,a,2\\n' > $2", "scores:2"),
    "another case of letters": (f"printf '{ALL_USERS.replace('Zoë', 'zoë')}' > $2", "not in users.csv, such as 'zoë'"),
    "kills its group": ("kill -KILL 0", "was ended by SIGKILL, as happens when memory runs out"),
}


@pytest.mark.parametrize(("script", "said"), BAD_PROGRAMS.values(), ids=BAD_PROGRAMS)
def test_a_bad_program_is_refused_in_one_sentence(train, script, said, monkeypatch):
    monkeypatch.setattr(programs, "_LEAST_FILE", 2_000_000)
    message = refusal(train, script, minutes=0.03 if "waiting" in said else 0.005 if "took longer" in said else 1)
    assert message.startswith("program 'sh mine.sh {train} {scores}': ")
    assert said in message
    assert "/recsens-program-" not in message
    assert len(message) < 6000


@pytest.mark.skipif(sys.platform != "linux", reason="memory is measured on Linux")
def test_memory_is_limited_over_all_processes(train):
    eat = f"{sys.executable} -c \"x = bytearray(60_000_000); x[::4096] = b'1' * len(x[::4096]); import time; time.sleep(20)\""
    message = refusal(train, f"{eat} & {eat} & wait", memory=0.1)
    assert "GB of memory, more than its 0.1 GB" in message


@pytest.mark.parametrize(
    ("run", "said"), [("no-such-program-here {scores}", "No such file"), ("./mine.sh {scores}", "Permission denied")]
)
def test_a_program_that_cannot_be_started_is_named(train, run, said):
    message = refusal(train, "", run=run)
    assert f"the program '{run.split()[0]}' cannot be started: {said}" in message


def test_folders_of_killed_processes_are_removed_and_no_others(train, tmp_path, monkeypatch):
    left, used, new, other = (
        tmp_path / "tmp" / name for name in ("recsens-program-a", "recsens-program-b", "recsens-program-c", "x")
    )
    for folder in (left, used, new, other):
        folder.mkdir()
        (folder / "train.csv").touch()
        if folder != new:
            os.utime(folder, (0, 0))
    descriptor = os.open(used, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    fitted(train, GOOD)
    os.close(descriptor)
    assert [folder.exists() for folder in (left, used, new, other)] == [False, True, True, True]
    assert {folder.name for folder in (tmp_path / "tmp").iterdir()} == {used.name, new.name, other.name}


def test_the_program_ends_with_the_process_that_started_it(train, tmp_path):
    child = os.fork()
    if child == 0:
        with suppress(BaseException):
            fitted(train, f"echo $$ > {tmp_path}/number; exec sleep 60")
        os._exit(0)
    number = tmp_path / "number"
    for _ in range(200):
        sleep(0.02)
        if number.exists() and number.read_text(encoding="utf-8").strip():
            break
    os.kill(child, 9)
    os.waitpid(child, 0)
    for _ in range(100):
        sleep(0.02)
        if not still_running():
            break
    assert not still_running()
