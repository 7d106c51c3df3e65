"""Damaged model files, at random and by structure: each is refused, or loads a model that works.

Never a crash, a hang, much memory, another error than ModelFileError, or a wrong model. Checksums
are put right where the damage is to get behind them (tests/support/fuzz_model_file.py).
"""

from __future__ import annotations

import copy
import tracemalloc
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from plaintree.errors import ModelFileError
from plaintree.interop.model_file.packed_form import BEGINNING
from plaintree.interop.model_file.reading import from_bytes, read_bytes, refusing, to_bytes
from tests.support.fuzz_model_file import (
    KEPT,
    Chance,
    blocks_of,
    kept,
    outcome,
    parts_of,
    places,
    sealed,
    sealed_blocks,
    try_one,
)
from tests.support.fuzz_models import try_file

PACKED = [path for path in KEPT if kept(path).startswith(BEGINNING)]
SOME = settings(
    max_examples=120, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)

ODD_VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([2**31 - 1, 2**31, -(2**31) - 1, 2**63, 2**64, 10**30]),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["", "inf", "-inf", "leaf", "grouped", "nodes", "Tree", "a" * 100]),
    st.just([]),
    st.just({}),
    st.lists(st.integers(0, 3), max_size=4),
    st.sampled_from([{"float": None}, {"tuple": [1]}, {"object": {}}, {"items": [[1, 2]]}]),
    st.just({"learner": {"model": "ID3Classifier", "parameters": {}}}),
)


@given(path=st.sampled_from(KEPT), data=st.data())
@SOME
def test_bytes_at_random(path: Path, data: st.DataObject) -> None:
    original = kept(path)
    changed = bytearray(original)
    for _ in range(data.draw(st.integers(1, 3), label="changes")):
        start = data.draw(st.integers(0, len(changed)), label="from")
        length = data.draw(st.sampled_from([0, 1, 1, 2, 50, len(changed)]), label="instead of")
        changed[start : start + length] = data.draw(st.binary(max_size=4), label="bytes")
    model = outcome(bytes(changed))
    assert model is None or to_bytes(model) == to_bytes(from_bytes(original))


def damage(head: dict[str, Any], data: st.DataObject) -> None:
    """Change a head at a few places: other values, values from elsewhere, or none at all."""
    for _ in range(data.draw(st.integers(1, 3), label="changes")):
        found = places(head)
        place = st.integers(0, len(found) - 1).map(found.__getitem__)
        holder, key = data.draw(place)
        how = data.draw(st.sampled_from(["odd", "elsewhere", "away", "twice"]), label="how")
        if how == "odd":
            holder[key] = copy.deepcopy(data.draw(ODD_VALUES, label="value"))
        elif how == "elsewhere":
            other, its = data.draw(place)
            holder[key] = copy.deepcopy(other[its])
        elif how == "twice" and isinstance(holder, list):
            holder.insert(key, copy.deepcopy(holder[key]))
        else:
            del holder[key]


def assert_can_be_kept(model: Any | None) -> None:
    """What was accepted is a model like any other: it is written, and read again as it is."""
    if model is not None:
        written = to_bytes(model)
        assert to_bytes(from_bytes(written)) == written


@given(path=st.sampled_from(KEPT), data=st.data())
@SOME
def test_structure_at_random(path: Path, data: st.DataObject) -> None:
    head, rest = parts_of(kept(path))
    damage(head, data)
    assert_can_be_kept(outcome(sealed(head, rest, packed=path in PACKED)))


@given(path=st.sampled_from(PACKED), data=st.data())
@SOME
def test_numbers_of_blocks_at_random(path: Path, data: st.DataObject) -> None:
    head, rest = parts_of(kept(path))
    blocks = blocks_of(head, rest)
    raw = bytearray(zlib.decompress(blocks[0]))
    for _ in range(data.draw(st.integers(1, 4), label="changes")):
        place = data.draw(st.integers(0, len(raw) - 1), label="place")
        raw[place] = data.draw(st.sampled_from([0, 1, 2, 5, 6, 127, 128, 255]), label="byte")
    if data.draw(st.booleans(), label="also the head"):
        damage(head["blocks"][0], data)
    try:
        changed = sealed_blocks(head, [zlib.compress(bytes(raw))])
    except TypeError:  # the description is none any more
        return
    assert_can_be_kept(outcome(changed))


@given(data=st.data())
@SOME
def test_the_short_way_to_a_forest_agrees_with_the_long_way(data: st.DataObject) -> None:
    head, rest = parts_of(kept(next(path for path in PACKED if path.stem == "numbers")))
    (block,) = blocks_of(head, rest)
    raw = bytearray(zlib.decompress(block))
    for _ in range(data.draw(st.integers(0, 2), label="changes")):
        place = data.draw(st.integers(0, len(raw) - 1), label="place")
        raw[place] = data.draw(st.sampled_from([0, 1, 2, 3, 127, 128, 255]), label="byte")
    changed = sealed_blocks(head, [zlib.compress(bytes(raw))])
    short = outcome(changed)
    try:
        with refusing():
            long = list(read_bytes(changed)[1])
    except ModelFileError:
        assert short is None
        return
    assert short is not None
    for tree, other in zip(short.trees_, long, strict=True):
        assert tree.difference(other) is None
        assert tree.content_hash() == other.content_hash()


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_ten_thousand_damaged_files_are_refused_or_read(part: int) -> None:
    outcomes = Counter(try_file(f"0 {number}") for number in range(1000 * part, 1000 * (part + 1)))
    assert 0.1 < outcomes["read"] / 1000 < 0.9


def test_changes_that_coverage_would_choose() -> None:
    models = [try_one(Chance(seed)) for seed in range(200)]
    assert any(models)
    assert not all(models)


# ------------------------------------------------------------------------------ bombs


def forest() -> tuple[dict[str, Any], list[bytes]]:
    head, rest = parts_of(kept(next(path for path in PACKED if path.stem == "forest")))
    return head, blocks_of(head, rest)


def huge_block() -> bytes:
    """A block of a few kilobytes that says, truly, to hold a hundred million nodes."""
    head, _ = forest()
    n = 10**8
    head["blocks"][0]["columns"] = [["n_nodes", "trees", "u4", 1], ["kind", "nodes", "u1", n]]
    head["blocks"][0]["raw"] = n + 4
    packer = zlib.compressobj(9)
    data = b"".join(packer.compress(bytes(10**6)) for _ in range(100)) + packer.flush()
    return sealed_blocks(head, [data])


def understated_block() -> bytes:
    """A block that becomes larger than it says."""
    head, blocks = forest()
    return sealed_blocks(head, [zlib.compress(zlib.decompress(blocks[0]) + bytes(10**7))])


def many_trees() -> bytes:
    """A head that speaks of billions of trees."""
    head, blocks = forest()
    head["trees"]["count"] = 2**40
    return sealed_blocks(head, blocks)


def huge_group() -> bytes:
    """A node whose categories are in two billion groups."""
    head, _ = parts_of(kept(next(path for path in KEPT if path.stem == "bare_tree")))
    attribute = head["schema"]["attributes"][0]
    node = head["trees"][0]["nodes"][0]
    node |= {"kind": "grouped", "levels": [0, 1, 2**31 - 2][: len(attribute["categories"])]}
    return sealed(head)


def sparse_sets() -> bytes:
    """Thousands of rules, each about the first and the last of very many categories."""
    head, _ = parts_of(kept(next(path for path in KEPT if path.stem == "bare_rules")))
    attributes = head["schema"]["attributes"]
    place = next(i for i, a in enumerate(attributes) if a["kind"] == "categorical")
    attributes[place]["categories"] = list(range(150_000))
    ends = [{"attribute": place, "categories": [0, 149_999]}]
    head["rules"]["rules"] = [head["rules"]["rules"][0] | {"conditions": ends}] * 15_000
    return sealed(head)


def many_values() -> bytes:
    return b'{"format": "plaintree model", "version": 1, "x": [' + b"1.5," * 5_000_000 + b"0]}"


def nested() -> bytes:
    return b'{"format": "plaintree model", "version": ' + b"[" * 900_000


def many_objects() -> bytes:
    return b'{"format": [' + b"{}," * 5_000_000 + b"0]}"


@pytest.mark.slow
@pytest.mark.parametrize(
    "bomb",
    [
        huge_block,
        understated_block,
        many_trees,
        huge_group,
        sparse_sets,
        many_values,
        nested,
        many_objects,
    ],
)
def test_bombs_are_refused_without_taking_memory(bomb: Callable[[], bytes]) -> None:
    data = bomb()
    tracemalloc.start()
    try:
        with pytest.raises(ModelFileError, match=r"."):
            from_bytes(data)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 20 * 2**20 + 2 * len(data)
