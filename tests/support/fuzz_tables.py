"""Hostile tables and files: how to make them, and what must hold of each.

    python -m tests.support.fuzz_tables 10000 [SEED]

tries as many files and prints the outcomes. A file is refused by an error of ours, or it is read, a
small tree is grown from it, and the tree predicts its rows. Values written from columns of known
kinds come back as they were.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from pathlib import Path
from random import Random
from typing import Any

import polars as pl

import plaintree as pt
from plaintree.app.study.predict import Wanted, predicted
from plaintree.data.chunks import read_pieces
from plaintree.errors import PlaintreeError
from plaintree.progress import no_progress

FIELDS = (
    *("", " ", "a", "yes", "no", "?", "NA", "nan", "inf", "-inf", "null", "None", "true", "FALSE"),
    *("0", "1", "-0", "+3", "007", "042", "00000", "1.5", "1,5", ".5", "1e308", "1e999", "-1e-999"),
    *(
        "9007199254740993",
        "123456789012345678901234567890",
        "0x10",
        "1_000",
        "\u0661\u0662",
        "\uff11",
    ),
    *("2021-01-31", "31/01/2021", "01/31/2021", "3/4/21", "1.2.3", "2021-02-30", "0000-00-00"),
    *("9999-12-31", "23:59:60", "10:00", "2021-01-31T10:00:00Z", "2021-01-31 10:00", "1/2/345"),
    *(
        '"',
        '""',
        'a"b',
        '"a""b"',
        '"a,b"',
        '"a\nb"',
        '"open',
        "'",
        "'a,b'",
        "a,b",
        "a;b",
        "a\tb",
        "a|b",
    ),
    *(
        "\ufeff",
        "\x00",
        "\x01",
        "\x1b[31m",
        "\x7f",
        "\u2028",
        "\x85",
        "\xa0",
        "\x1c",
        "\x0b",
        "é",
        "日本",
        "🌳",
    ),
    *("{", "}", "%", "@data", "@attribute a real", "a:b", "a.", "|", "\\", "\\,", "x" * 300),
)
TAME = tuple(field for field in FIELDS if not set(field) & set('",;|\t\n\0'))
"""Fields that do not break a line apart."""
NAMES = (
    "a",
    "b",
    "a",
    "",
    " ",
    "y",
    '"q"',
    "n\nm",
    "🌳",
    "class",
    "x,y",
    "sep=;",
    "1",
    "\ufeffa",
    "=1+1",
)
ENDS = ("\n", "\r\n", "\r", "\n\n", "\r\r\n", "\x0b", "")
ENCODINGS = ("utf-8", "utf-8-sig", "latin-1", "utf-16", "cp1252", "utf-32", "cp037")
SUFFIXES = (".csv", ".tsv", ".txt", ".arff", ".parquet", ".names", ".data")
LEARNERS: tuple[Any, ...] = (
    pt.CARTClassifier(max_depth=2, n_jobs=1),
    pt.ID3Classifier(max_depth=2),
    pt.C45Classifier(max_depth=2),
)


# -------------------------------------------------------------------- files that mean nothing


def hostile_csv(random: Random) -> str:
    """Lines of odd fields, nearly as many in each; sometimes a line that declares a separator."""
    separator = random.choice(",,,;\t|")
    tame = random.random() < 0.7
    width, end = random.randint(1, 4), random.choice(ENDS[: 3 if tame else None])
    names = [random.choice(NAMES) for _ in range(width)]
    if tame or random.random() < 0.5:
        names = [random.choice("abc") if tame else name for name in names]
        names = [f"{name}{i}" for i, name in enumerate(names)]
    fields = TAME if tame else FIELDS
    pools = [random.choices(fields, k=random.randint(1, 4)) for _ in range(width)]
    lines = [names]
    for _ in range(random.randint(0, 12)):
        n = width if tame or random.random() < 0.97 else random.randint(0, 6)
        lines.append([random.choice(pools[i % width]) for i in range(n)])
    head = random.choice([*[""] * 9, "sep=;" + end, f"sep={separator}\n", "\n", "\ufeff"])
    return head + end.join(separator.join(line) for line in lines) + random.choice([end, ""])


def hostile_arff(random: Random) -> str:
    """A header of odd declarations, and lines of odd fields."""
    kinds = (
        "real",
        "integer",
        "string",
        "{a,b}",
        "{'a b',?}",
        "date",
        "date 'yyyy-QQ'",
        "odd",
        "{",
    )
    lines = ["@relation r"]
    width = random.randint(0, 3)
    lines += [f"@attribute {random.choice(NAMES)} {random.choice(kinds)}" for _ in range(width)]
    lines += ["@data"] * random.randint(0, 2)
    for _ in range(random.randint(0, 6)):
        lines.append(",".join(random.choice((*FIELDS, "{0 1}", "{9 a}")) for _ in range(width)))
    return random.choice(ENDS).join(lines)


def hostile_names(random: Random) -> str:
    """Declarations of C4.5."""
    entries = (
        "yes, no.",
        "a, b",
        "x: continuous.",
        "x: p, q.",
        "y: ignore.",
        "z: discrete 3.",
        ":",
        "|",
    )
    return random.choice(ENDS).join(random.choices((*entries, *FIELDS), k=random.randint(0, 6)))


def hostile_parquet(random: Random, place: Path) -> bytes:
    """A Parquet file of odd types, sometimes damaged."""
    columns: dict[str, Any] = {
        "a": [1, None, 3],
        "b": [[1], [2], None],
        "c": [b"x", b"y", None],
        "d": [{"k": 1}, {"k": 2}, None],
        "e": [timedelta(1), None, timedelta(-1)],
        "f": [float("nan"), float("inf"), None],
        "g": ["x", "y", "z"],
        "h": [time(1), time(2), None],
    }
    chosen = random.sample(sorted(columns), random.randint(1, 3))
    pl.DataFrame({name: columns[name] for name in chosen}).write_parquet(place)
    return damaged(place.read_bytes(), random)


def damaged(data: bytes, random: Random) -> bytes:
    """Bytes with some of them changed, cut off or repeated; most often as they were."""
    match random.randint(0, 9):
        case 0:
            return data[: random.randint(0, len(data))]
        case 1:
            at = random.randint(0, len(data))
            return data[:at] + random.randbytes(random.randint(1, 8)) + data[at:]
        case 2:
            return data * 2
    return data


def hostile_file(random: Random, folder: Path) -> Path:
    """A file that means nothing in particular."""
    suffix = random.choice(SUFFIXES[:3] * 3 + SUFFIXES)
    path = folder / f"t{suffix}"
    if suffix == ".parquet":
        path.write_bytes(hostile_parquet(random, path))
        return path
    if suffix in (".names", ".data"):
        for file, text in ((".names", hostile_names(random)), (".data", hostile_csv(random))):
            path.with_suffix(file).write_bytes(damaged(text.encode(), random))
        return path
    text = hostile_arff(random) if suffix == ".arff" else hostile_csv(random)
    encoding = random.choice(("utf-8",) * 12 + ENCODINGS)
    path.write_bytes(damaged(text.encode(encoding, errors="replace"), random))
    return path


# -------------------------------------------------------------------- files of known values


def known_frame(random: Random) -> pl.DataFrame:
    """Columns whose values a file can hold without doubt."""
    n = random.randint(1, 20)
    makers: dict[str, Callable[[], Any]] = {
        "integer": lambda: random.randint(-(2**53) + 1, 2**53 - 1),
        "number": lambda: random.uniform(-1, 1) * 10.0 ** random.randint(-300, 300),
        "text": lambda: "v" + "".join(random.choices("ab,;\"'\n\r\t|é🌳 0", k=5)).strip() + "w",
        "boolean": lambda: random.random() < 0.5,
        "date": lambda: date(
            random.randint(1000, 9999), random.randint(1, 12), random.randint(1, 28)
        ),
        "datetime": lambda: (
            datetime(2000, 1, 1) + timedelta(microseconds=random.randint(0, 10**15))
        ),
        "time": lambda: time(random.randint(0, 23), random.randint(0, 59), random.randint(0, 59)),
        "code": lambda: f"{random.randint(1, 9999):05}",
    }
    kinds = random.sample(sorted(makers), random.randint(1, len(makers)))
    columns: dict[str, list[Any]] = {}
    for kind in kinds:
        columns[kind] = [makers[kind]() if random.random() < 0.9 else None for _ in range(n)]
        columns[kind][0] = makers[kind]()
    return pl.DataFrame(columns).with_columns(y=pl.Series([f"c{i % 2}" for i in range(n)]))


def check_known(random: Random, folder: Path) -> str:
    """Write a frame in some form, and read it back."""
    frame = known_frame(random)
    suffix = random.choice((".csv", ".tsv", ".parquet"))
    path = folder / f"t{suffix}"
    if suffix == ".parquet":
        frame.write_parquet(path)
    else:
        separator = "\t" if suffix == ".tsv" else random.choice(",;|")
        text = frame.write_csv(separator=separator, line_terminator=random.choice(("\n", "\r\n")))
        path.write_bytes((random.choice(("", "\ufeff")) + text).encode())
    found = pt.read_table(path)
    for name in frame.columns:
        written = frame[name].to_list()
        if suffix != ".parquet" and name == "text":  # ends of lines are read as one character
            written = [v and v.replace("\r\n", "\n").replace("\r", "\n") for v in written]
        assert found[name].to_list() == written, (name, suffix)
    grown(found, random, "y")
    if frame.width > 1:
        check_pieces(found, path)
    return "known"


def check_pieces(frame: pl.DataFrame, path: Path) -> None:
    """A model predicts a file that it reads piece by piece as the table that was read whole."""
    X = frame.drop("y")
    model = pt.CARTClassifier(n_jobs=1).fit(X, frame["y"])
    pieces = list(predicted(model, read_pieces(str(path)), Wanted(), no_progress))
    assert pl.concat(pieces)["prediction"].to_list() == model.predict(X).tolist()


# -------------------------------------------------------------------- what must hold


def grown(frame: pl.DataFrame, random: Random, target: str) -> None:
    """A small tree of a table, which predicts its rows."""
    frame = frame.filter(frame[target].is_not_null())
    if frame.width > 1:
        model = random.choice(LEARNERS).fit(frame.drop(target), frame[target])
        assert len(model.predict(frame.drop(target))) == frame.height


def tried(seed: int, folder: Path) -> str:
    """The outcome of one file; anything but a table or an error of ours is raised."""
    random = Random(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if random.random() < 0.3:
            return check_known(random, folder)
        path = hostile_file(random, folder)
        try:
            frame = pt.read_table(path)
        except PlaintreeError as error:
            return f"not read: {type(error).__name__}"
        try:
            grown(frame, random, random.choice(frame.columns))
        except PlaintreeError as error:
            return f"not grown: {type(error).__name__}"
    return "grown"


def outcomes(n: int, seed: int = 0) -> Counter[str]:
    """The outcomes of many files; an error names the seed of its file."""
    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(seed, seed + n):
            try:
                found[tried(number, Path(folder))] += 1
            except Exception as error:
                raise AssertionError(f"the file of seed {number} fails: {error!r}") from error
    return found


if __name__ == "__main__":
    n, seed = (*map(int, sys.argv[1:]), 0)[:2] if len(sys.argv) > 1 else (1000, 0)
    for outcome, count in outcomes(n, seed).most_common():
        print(f"{count:7} {outcome}")
