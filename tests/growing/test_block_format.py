"""Blocks that are kept in a store are read by later versions, or made again under another name."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest

from plaintree import _core
from plaintree.growing.from_counts import Growing, grow_tree_from
from plaintree.growing.one_tree import grow_tree
from plaintree.growing.sources import block_files
from plaintree.growing.sources.memory import BlocksInMemory
from plaintree.tree.conventions import CART
from tests.support.blocks.make import HERE, SCHEMA, encoded, rows
from tests.support.counted import counted_rows

STORED = (HERE / "block.bin").read_bytes(), (HERE / "facts.bin").read_bytes()


def test_encoding_writes_what_is_stored() -> None:
    """If this fails, change FORMAT, and store the blocks again."""
    assert encoded() == STORED


def test_the_name_of_the_format_is_that_of_the_stored_blocks() -> None:
    found = hashlib.sha256(b"".join(STORED)).hexdigest()[:16]
    assert (block_files.FORMAT, found) == ("plaintree blocks 4", "914b40b4c0372aa0")


def test_stored_blocks_give_the_tree_of_their_rows() -> None:
    _core.check_block(STORED[0])
    rules = replace(CART, missing="fractional")
    source = BlocksInMemory([[STORED]])
    tree = grow_tree_from(source, counted_rows(SCHEMA, rows()), rules, Growing())
    given = rows()
    expected = grow_tree(SCHEMA, given.columns, given.target, given.weights, rules)
    assert tree.size > 3
    assert tree.difference(expected) is None


@pytest.mark.parametrize("place", [0, 8, 40, 100, -9, -1])
def test_damage_is_noticed(place: int) -> None:
    for stored, check in zip(STORED, (_core.check_block, _core.describe_facts), strict=True):
        damaged = bytearray(stored)
        damaged[place] ^= 1
        with pytest.raises(ValueError, match=r"damaged|are not"):
            check(bytes(damaged))
