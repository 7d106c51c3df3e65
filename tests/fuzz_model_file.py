"""Damaged model files: how to make them, and what must hold of each; a fuzzer when run by itself.

    pip install atheris
    python tests/fuzz_model_file.py -max_total_time=600

Checksums are put right after a file is damaged, where the damage is to get as far as the checks
behind them.
"""

from __future__ import annotations

import json
import sys
import zlib
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

if __name__ == "__main__":  # the fuzzer must see the modules before they are loaded
    import atheris

    with atheris.instrument_imports(include=["plaintree"]):
        import plaintree.model_file  # noqa: F401

from plaintree.errors import ModelFileError, PlaintreeError
from plaintree.model_file.packed_form import BEGINNING, FIRST_LINE
from plaintree.model_file.reading import from_bytes
from plaintree.model_file.text_form import digest

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
        from plaintree.predict import class_shares

        columns = [
            np.full(3, -1 - np.arange(3) % 2, dtype=np.int32)
            if attribute.is_categorical
            else np.array([np.nan, 0.0, 1e9])
            for attribute in model.schema.attributes
        ]
        if columns:
            assert np.isfinite(class_shares(model, columns)).all()
        return
    schema = getattr(asked, "schema_", None) or asked.schema
    rows = {
        attribute.name: ["", "?"] if attribute.categories and not attribute.cuts else [0.5, None]
        for attribute in schema.attributes
    }
    if rows:
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


# -------------------------------------------------------------------- by hand, guided by coverage


def one_input(data: bytes) -> None:
    """Damage a kept file as the fuzzer's bytes say, and see what comes of it."""
    import atheris

    source = atheris.FuzzedDataProvider(data)
    original = kept(KEPT[source.ConsumeIntInRange(0, len(KEPT) - 1)])
    how = source.ConsumeIntInRange(0, 3)
    head, rest = parts_of(original)
    packed = original.startswith(BEGINNING)
    if how == 0:
        outcome(source.ConsumeBytes(4096))
    elif how == 1 and packed:
        blocks = blocks_of(head, rest)
        raw = bytearray(zlib.decompress(blocks[0]))
        for _ in range(source.ConsumeIntInRange(1, 8)):
            raw[source.ConsumeIntInRange(0, len(raw) - 1)] = source.ConsumeIntInRange(0, 255)
        blocks[0] = zlib.compress(bytes(raw))
        outcome(sealed_blocks(head, blocks))
    else:
        for _ in range(source.ConsumeIntInRange(1, 4)):
            found = places(head)
            holder, key = found[source.ConsumeIntInRange(0, len(found) - 1)]
            other, taken = found[source.ConsumeIntInRange(0, len(found) - 1)]
            values = [None, True, -1, 2**40, 0.5, "", [], {}, source.ConsumeInt(8), other[taken]]
            holder[key] = json.loads(
                json.dumps(values[source.ConsumeIntInRange(0, len(values) - 1)])
            )
        outcome(sealed(head, rest, packed=packed))


if __name__ == "__main__":
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()
