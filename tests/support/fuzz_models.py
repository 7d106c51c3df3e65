"""Damaged model files: each is refused, or holds a model that everything reads.

    python -m tests.support.fuzz_models --count 100000 --seed 7

Files are of single trees, forests, boosted trees and lists of rules. Checksums are put right after
most changes, so that these get as far as the checks behind them. ``fuzz_model_file.py`` lets
coverage choose the changes instead.
"""

from __future__ import annotations

import json
import sys
import zlib
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

from plaintree.errors import ModelFileError
from plaintree.interop.model_file.packed_form import BEGINNING
from plaintree.interop.model_file.reading import from_bytes
from plaintree.interop.model_file.text_form import digest
from tests.support.fuzz_model_file import (
    KEPT,
    blocks_of,
    further,
    kept,
    parts_of,
    places,
    sealed,
    sealed_blocks,
)
from tests.support.fuzz_trees import read_as_drawn
from tests.support.fuzzing import run

VALUES: tuple[Any, ...] = (None, True, -1, 0, 1, 2, 2**31, 2**40, 2**63, 2**64, 10**30, 0.5, -0.0)
VALUES += (1e-320, 1e-150, 1e101, 1e300, 1.7e308, "", "inf", "-inf", "nan", "x", "\udc80", "\0", [])
VALUES += ({}, [[]], {"float": None}, {"float": "inf"}, {"tuple": [1]}, "a'b\"c\\d\n]]>", "leaf")
NUMBERS = (0.0, -0.0, 1.5, -3.0, 5e-324, 1e-310, 1e-100, 1e39, 1e100, 1e300, "inf", "-inf", 1e18)


@cache
def originals() -> tuple[bytes, ...]:
    """The files to damage."""
    return (*map(kept, KEPT), *further())


# -------------------------------------------------------------------- changes of what a file says


def other_value(head: Any, random: Random) -> None:
    """Another value, one from elsewhere, none, twice, or two in each other's place."""
    found = places(head)
    if not found:
        return
    (holder, key), (other, its) = random.choice(found), random.choice(found)
    how = random.randrange(5)
    if how == 0:
        del holder[key]
    elif how == 1:
        holder[key] = json.loads(json.dumps(other[its]))
    elif how == 2 and isinstance(holder, list):
        holder.insert(key, json.loads(json.dumps(holder[key])))
    elif how == 3 and holder is not other and not isinstance(other[its], dict | list):
        holder[key], other[its] = other[its], holder[key]
    else:
        holder[key] = json.loads(json.dumps(random.choice(VALUES)))


def other_number(head: Any, random: Random) -> None:
    """Another number where there is one; class weights and their sum change together."""
    numbers = [
        (holder, key)
        for holder, key in places(head)
        if isinstance(holder[key], float) or key in ("above", "at_most", "threshold")
    ]
    if not numbers:
        return other_value(head, random)
    holder, key = random.choice(numbers)
    holder[key] = random.choice(NUMBERS)
    for place in ("trees", "rules"):
        for part in head.get(place) or [] if isinstance(head.get(place), list) else []:
            for node in part.get("nodes") or []:
                if isinstance(node.get("class_weights"), list):
                    given = [w for w in node["class_weights"] if isinstance(w, float | int)]
                    node["weight"] = sum(given)
    return None


def other_name(head: Any, random: Random) -> None:
    """Another name, category or class, of any kind."""
    schema = head.get("schema") or {}
    lists = [schema.get("classes")] + [a.get("categories") for a in schema.get("attributes") or []]
    named = [(a, "name") for a in schema.get("attributes") or []] + [(schema, "target")]
    named += [(labels, i) for labels in lists if labels for i in range(len(labels))]
    holder, key = random.choice(named)
    holder[key] = random.choice(
        [*VALUES, "'; --", "</script>", "日本", "\u202e", "\n", " ", 7, 1.0]
    )


def doubled_key(text: str, random: Random) -> str:
    """JSON in which a key stands twice, at first with another value."""
    spots = [i for i, c in enumerate(text) if c == '"' and text[i - 1] in "{," and i > 0]
    if not spots:
        return text
    spot = random.choice(spots)
    end = text.find('"', spot + 1)
    return (
        f"{text[:spot]}{text[spot : end + 1]}: {json.dumps(random.choice(VALUES))}, {text[spot:]}"
    )


def damaged_text(data: bytes, random: Random) -> bytes:
    """Bytes cut off, doubled, changed, in another encoding, or nested deeply."""
    half = random.randrange(1, len(data))
    how = random.randrange(7)
    if how == 0:
        return data[:half]
    if how == 1:
        return data + data[half:]
    if how == 2:
        encoding = random.choice(["utf-16", "utf-32", "utf-8-sig", "utf-7", "cp500"])
        return data.decode("utf-8", "replace").encode(encoding, "replace")
    if how == 3:
        depth = random.choice([10, 500, 5_000, 200_000])
        return data[:half] + b"[" * depth + b"]" * depth + data[half:]
    if how == 4:
        text = data.decode("utf-8", "replace")
        head = doubled_key(text, random)
        return head.encode("utf-8", "replace")
    if how == 5:
        return data[:half] + random.randbytes(random.randrange(1, 9)) + data[half:]
    return data[half:] + data[:half]


def doubled_and_sealed(head: Any, random: Random) -> bytes:
    """A text file with a key twice, and the checksum of what a reader makes of it."""
    text = doubled_key(json.dumps(head, separators=(",", ":")), random)
    try:
        content = json.loads(text)
    except ValueError:  # it was no key
        return text.encode()
    content.pop("sha256", None)
    sum_of_it = json.dumps({"sha256": digest(content)})[1:-1]
    return f"{text[:-1]}, {sum_of_it}}}".encode()


# -------------------------------------------------------------------- one case

CHANGES: tuple[Callable[[Any, Random], None], ...] = (other_value, other_number, other_name)


def damaged_file(random: Random) -> bytes:
    """A model file with something else in it."""
    original = random.choice(originals())
    packed = original.startswith(BEGINNING)
    how = random.random()
    if how < 0.1:
        return damaged_text(original, random)
    head, rest = parts_of(original)
    if how < 0.15 and not packed:
        return doubled_and_sealed(head, random)
    blocks = blocks_of(head, rest) if packed else []
    if blocks and random.random() < 0.5:
        place = random.randrange(len(blocks))
        raw = bytearray(zlib.decompress(blocks[place]))
        for _ in range(random.randint(1, 8)):
            raw[random.randrange(len(raw))] = random.choice([0, 1, 2, 5, 127, 128, 240, 255])
        blocks[place] = zlib.compress(bytes(raw))
        return sealed_blocks(head, blocks)
    change = random.choice(CHANGES)
    try:
        for _ in range(random.randint(1, 3)):
            change(head, random)
    except (AttributeError, KeyError, TypeError):  # nothing more can be changed in it
        pass
    return sealed(head, rest, packed=packed)


def try_file(seed: str, all_readers: bool = False) -> str:
    """Damage a model file: it is refused, or holds a model that everything reads."""
    random = Random(seed)
    try:
        model = from_bytes(damaged_file(random))
    except ModelFileError:
        return "refused"
    read_as_drawn(model, random, all_readers)
    return "read"


if __name__ == "__main__":
    sys.exit(run("tests.support.fuzz_models", try_file))
