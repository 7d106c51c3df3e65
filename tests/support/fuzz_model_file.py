"""Damaged model files: how to make them, and what must hold of each; a fuzzer when run by itself.

    pip install atheris
    python tests/support/fuzz_model_file.py -max_total_time=600 -rss_limit_mb=2048 -timeout=20

With the folder that `make sanitize` lays out (build/sanitize/site) first in PYTHONPATH, and with
the sanitizers' runtimes preloaded as in run_sanitized.py, the engine is watched as well. gcc's
libasan has empty functions of the fuzzer's names (__sanitizer_cov_8bit_counters_init and _pcs_init)
that hide its own: if no "cov:" is printed, the run goes by chance, and a small library that passes
these calls on to atheris's core must be preloaded before it (verify_asan_link_order=0).

Checksums are put right after a file is damaged, where the damage is to get as far as the checks
behind them.
"""

from __future__ import annotations

import json
import sys
import warnings
import zlib
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

if __name__ == "__main__":  # the fuzzer must see the modules before they are loaded
    import atheris

    with atheris.instrument_imports(include=["plaintree"]):
        import plaintree.interop.model_file  # noqa: F401

from plaintree.errors import ModelFileError, PlaintreeError
from plaintree.interop.model_file.packed_form import BEGINNING, FIRST_LINE
from plaintree.interop.model_file.reading import from_bytes
from plaintree.interop.model_file.text_form import digest

KEPT = sorted((Path(__file__).parent / "model_files").glob("*/*.model"))


@cache
def kept(path: Path) -> bytes:
    """The bytes of a file that must load for ever."""
    return path.read_bytes()


# -------------------------------------------------------------------- what must hold


def outcome(data: bytes) -> Any | None:
    """The model of some bytes, which answers rows; None if they are refused, as they may be."""
    try:
        model = from_bytes(data)
    except ModelFileError:
        return None
    with suppress(PlaintreeError):  # rows of another table, say
        ask(model)
    return model


def ask(model: Any) -> None:
    """Let a model answer rows of gaps and unseen values: it must not crash, nor make up shares."""
    asked = model
    if not hasattr(model, "predict_proba"):  # a bare tree is asked through the engine
        from plaintree.tree.predict import class_shares

        columns = [
            np.full(3, -1 - np.arange(3) % 2, dtype=np.int32)
            if attribute.is_categorical
            else np.array([np.nan, 0.0, 1e9])
            for attribute in model.schema.features
        ]
        if columns:
            assert np.isfinite(class_shares(model, columns)).all()
        return
    schema = getattr(asked, "schema_", None) or asked.schema
    rows = {
        attribute.name: ["", "?"] if attribute.categories and not attribute.cuts else [0.5, None]
        for attribute in schema.features
    }
    if rows:
        with warnings.catch_warnings():
            # Files of models without names are asked by the names of their attributes, too.
            warnings.filterwarnings("ignore", "X has feature names")
            shares = asked.predict_proba(rows)
        assert shares.shape == (2, len(schema.classes))
        assert np.isfinite(shares).all()


# -------------------------------------------------------------------- putting checksums right


def parts_of(data: bytes) -> tuple[dict[str, Any], bytes]:
    """The head of a file as JSON, and the bytes behind it (none if it is text)."""
    first = FIRST_LINE.match(data)
    if first is None:
        return json.loads(data), b""
    end = first.end() + int(first[2])
    return json.loads(data[first.end() : end]), data[end:]


def sealed(head: Any, rest: bytes = b"", *, packed: bool = False) -> bytes:
    """The bytes of a file of this head, with the checksum that belongs to it."""
    if not packed:
        content = {k: v for k, v in head.items() if k != "sha256"} if isinstance(head, dict) else {}
        return json.dumps(content | {"sha256": digest(content)}).encode()
    text = json.dumps(head).encode()
    first = f"1 {len(text)} {sha256(text).hexdigest()}\n".encode()
    return BEGINNING + first + text + rest


def sealed_blocks(head: dict[str, Any], blocks: list[bytes]) -> bytes:
    """The bytes of a packed file of these blocks, which are described as they are."""
    for block, data in zip(head["blocks"], blocks, strict=True):
        block["stored"], block["sha256"] = len(data), sha256(data).hexdigest()
    return sealed(head, b"".join(blocks), packed=True)


def blocks_of(head: dict[str, Any], rest: bytes) -> list[bytes]:
    """The stored bytes of every block."""
    found, start = [], 0
    for block in head["blocks"]:
        found.append(rest[start : start + block["stored"]])
        start += block["stored"]
    return found


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every place inside a JSON value: the list or object that holds it, and its key."""
    found, waiting = [], [value]
    while waiting:
        holder = waiting.pop()
        keys = list(holder) if isinstance(holder, dict) else range(len(holder))
        for key in keys:
            found.append((holder, key))
            if isinstance(holder[key], dict | list):
                waiting.append(holder[key])
    return found


# -------------------------------------------------------------------- more files to damage

HOSTILE = ("a'b", 'a"b', "new\nline", "nul\0in", "select", "*/", "]]>", "\U0001f600", "\u202ertl")
"""Names that are trouble in some language."""


@cache
def further() -> tuple[bytes, ...]:
    """Files of models that are not kept: hostile names, gaps, edits, single trees packed.

    They are made anew every time, so that they are of the format as it is.
    """
    import plaintree as pt
    from plaintree.interop.model_file.document import document_of
    from plaintree.interop.model_file.packed_form import packed_bytes
    from plaintree.interop.model_file.reading import to_bytes

    rng = np.random.default_rng(1)
    X = {
        name: rng.choice(HOSTILE[:4], 60) if i % 2 else rng.normal(size=60).round(2)
        for i, name in enumerate(HOSTILE)
    }
    y = np.array(HOSTILE)[rng.integers(0, 3, 60)]
    gaps = rng.normal(size=(60, 3)).round(2)
    side = (gaps[:, 0] > 0).astype(int)
    gaps[::7, 0] = np.nan
    named = pt.C45Classifier().fit(X, y)
    rules = pt.C45RulesClassifier().fit(X, y)
    inner = int(np.flatnonzero(named.tree_.kind)[-1])
    edited = named.tree_.relabel(named.tree_.n_nodes - 1, HOSTILE[0]).cut(inner)
    models = [
        named,
        rules,
        edited,
        pt.RandomForestClassifier(4, random_state=0).fit(X, y),
        pt.RandomForestClassifier(4, criterion="gain_ratio", random_state=0).fit(gaps, side),
        pt.BoostedTreesClassifier(n_estimators=3).fit(X, y),
        pt.CARTClassifier().fit(gaps, side),
    ]
    single = [packed_bytes(document_of(model)) for model in (named, rules, edited)]
    return (*map(to_bytes, models), *single)


# -------------------------------------------------------------------- by chance, or by coverage


class Chance:
    """Choices at random, under the names by which the fuzzer offers its own."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def ConsumeIntInRange(self, least: int, most: int) -> int:
        return self.random.randint(least, most)

    def ConsumeInt(self, n_bytes: int) -> int:
        return self.random.getrandbits(8 * n_bytes) - (1 << (8 * n_bytes - 1))

    def ConsumeBytes(self, most: int) -> bytes:
        return self.random.randbytes(self.random.randrange(most))

    def ConsumeRegularFloat(self) -> float:
        return self.random.choice([1e-300, -1.0, 1e16, 1.7e308, self.random.gauss(0, 10)])


def one_input(data: bytes) -> None:
    """Damage a file as the fuzzer's bytes say, and see what comes of it."""
    import atheris

    try_one(atheris.FuzzedDataProvider(data))


def try_one(source: Any) -> Any | None:
    """Damage a file as the source of choices says: it is refused, or a model that answers."""
    originals = [*map(kept, KEPT), *further()]
    original = originals[source.ConsumeIntInRange(0, len(originals) - 1)]
    how = source.ConsumeIntInRange(0, 3)
    head, rest = parts_of(original)
    packed = original.startswith(BEGINNING)
    if how == 0:
        return outcome(source.ConsumeBytes(4096))
    blocks = blocks_of(head, rest) if packed else []
    if how in (1, 2) and blocks:
        place = source.ConsumeIntInRange(0, len(blocks) - 1)
        raw = bytearray(zlib.decompress(blocks[place]))
        for _ in range(source.ConsumeIntInRange(1, 8)):
            raw[source.ConsumeIntInRange(0, len(raw) - 1)] = source.ConsumeIntInRange(0, 255)
        blocks[place] = zlib.compress(bytes(raw))
    if how in (2, 3) or not blocks:
        for _ in range(source.ConsumeIntInRange(1, 4)):
            _damage(head, source)
    try:
        damaged = sealed_blocks(head, blocks) if how in (1, 2) and blocks else None
    except (KeyError, TypeError, ValueError):  # the blocks' description is none any more
        damaged = None
    return outcome(sealed(head, rest, packed=packed) if damaged is None else damaged)


def _damage(head: dict[str, Any], source: Any) -> None:
    """Change one place of a head: another value, one from elsewhere, or none at all."""
    found = places(head)
    if not found:
        return
    holder, key = found[source.ConsumeIntInRange(0, len(found) - 1)]
    other, taken = found[source.ConsumeIntInRange(0, len(found) - 1)]
    values = [None, True, -1, 2**40, 0.5, "", [], {}, "inf", {"float": None}]
    values += [source.ConsumeInt(8), source.ConsumeRegularFloat(), other[taken]]
    choice = source.ConsumeIntInRange(0, len(values))
    if choice == len(values):
        del holder[key]
    else:
        holder[key] = json.loads(json.dumps(values[choice]))


if __name__ == "__main__":
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()
