"""The compact form of a model file: a line of text, the head as JSON, blocks of trees.

The first line gives the version, the size of the head and its digest; the head gives size and
digest of every block. A block holds some of the trees, one after the other (blocks.py), so
several threads can work on one file.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, TypeVar

import numpy as np

from plaintree.errors import ModelFileError
from plaintree.memory import available_bytes
from plaintree.threads import thread_count
from plaintree.tree.forest import PackedForest
from plaintree.tree.tree import Tree

from .blocks import FREE_BYTES, MOST_TIMES, Block, read_block, written_block
from .column import TreeColumn
from .document import Document
from .head import (
    Head,
    TreeFacts,
    beyond_limits,
    check_tree_count,
    check_version,
    checked,
    head_from,
    parsed,
    written_head,
)
from .plain_blocks import may_be_plain, plain_forest
from .text_form import compact
from .tree_columns import arrays_from, columns_of
from .values import as_list, as_object, as_whole, refuse

BEGINNING = b"plaintree packed model "
FIRST_LINE = re.compile(re.escape(BEGINNING) + rb"([0-9]{1,6}) ([0-9]{1,9}) ([0-9a-f]{64})\n")
LONGEST_FIRST_LINE = 128
NODES_PER_BLOCK = 2**16
"""A block gets no further trees when it has this many nodes."""
MOST_THREADS = 8

Item = TypeVar("Item")
Result = TypeVar("Result")


# -------------------------------------------------------------------- out


def packed_bytes(document: Document) -> bytes:
    """The bytes of a model file in this form."""
    data = written_head(document)
    facts = TreeFacts()
    blocks = list(in_order(_block_of, _batches(facts.noting(document.trees))))
    data["conventions"] = facts.conventions()
    data["trees"] = _written_facts(facts.of_trees)
    data["blocks"] = [block.to_json() for block, _ in blocks]
    text = compact(data).encode("utf-8", "backslashreplace") + b"\n"
    excess = beyond_limits(text)
    if excess is not None:
        raise ModelFileError(
            "the model has too many categories, names or rules for a model file",
            got=f"{excess} (besides its trees)",
            hint="leave out columns in which nearly every row has its own category.",
        )
    first = f"{data['version']} {len(text)} {sha256(text).hexdigest()}\n".encode("ascii")
    return b"".join([BEGINNING, first, text, *(stored for _, stored in blocks)])


def _batches(trees: Iterable[Tree]) -> Iterator[list[Tree]]:
    """The trees by blocks."""
    batch: list[Tree] = []
    for tree in trees:
        batch.append(tree)
        if sum(member.n_nodes for member in batch) >= NODES_PER_BLOCK:
            yield batch
            batch = []
    if batch:
        yield batch


def _block_of(trees: list[Tree]) -> tuple[Block, bytes]:
    return written_block(columns_of([tree.validate() for tree in trees]))


def _written_facts(facts: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the metadata of each tree; a single entry if all are equal."""
    alike = bool(facts) and all(fact == facts[0] for fact in facts)
    return {"count": len(facts)} | ({"all": facts[0]} if alike else {"each": facts})


# -------------------------------------------------------------------- in


def read_packed(data: bytes) -> tuple[Head, PackedTrees]:
    """The head of a model file in this form, and its trees, each checked as it is made."""
    first = FIRST_LINE.match(data[:LONGEST_FIRST_LINE])
    if first is None:
        raise _cut_off("its first line is damaged")
    check_version(int(first[1]), None)
    end = first.end() + int(first[2])
    text = data[first.end() : end]
    if len(text) < int(first[2]):
        raise _cut_off("it ends inside its head")
    if sha256(text).hexdigest() != first[3].decode("ascii"):
        raise _cut_off("the checksum of its head is wrong")
    content = parsed(text)
    head = head_from(content)
    given = as_list(content.get("blocks"), "the blocks")
    blocks = [Block.from_json(block, f"block {i}") for i, block in enumerate(given)]
    _check_sizes(blocks, len(data) - end, head.document)
    n_trees = sum(block.entries("n_nodes") for block in blocks)
    check_tree_count(head.document.model, n_trees)
    facts = _facts_of(content["trees"], n_trees)
    return head, PackedTrees(head, facts, blocks, memoryview(data)[end:])


def _cut_off(how: str) -> ModelFileError:
    return ModelFileError(
        f"the file was changed or damaged after it was written: {how}",
        hint="get it again from where it came from.",
    )


def _facts_of(value: Any, n_trees: int) -> list[dict[str, Any]]:
    """Read the metadata of each tree; a single entry is for all of them."""
    where = "the metadata of the trees"
    data = as_object(value, where, ("count",), ("all", "each"))
    if as_whole(data["count"], where) != n_trees:
        refuse(where, f"about the {n_trees} trees of the blocks", data["count"])
    facts = [data["all"]] if "all" in data else as_list(data.get("each"), where, n_trees)
    return [as_object(fact, where, allowed=("conventions", "edits")) for fact in facts]


def _check_sizes(blocks: list[Block], n_bytes: int, document: Document) -> None:
    """Refuse blocks that are not the rest of the file, or too large to be uncompressed."""
    stored, raw = sum(block.stored for block in blocks), sum(block.raw for block in blocks)
    if stored != n_bytes:
        raise _cut_off("it is longer or shorter than stated in its head")
    if raw > FREE_BYTES + MOST_TIMES * stored:
        refuse("the size of the blocks", f"at most {MOST_TIMES} times what is stored", raw)
    # Of a forest, only the blocks that threads are at work on are there as trees at a time.
    at_once = len(blocks) if document.holds == "boosted" else 2 * _n_threads() + 2
    n_nodes = sum(sorted((block.entries("kind") for block in blocks), reverse=True)[:at_once])
    needed, there = n_nodes * (200 + 32 * len(document.schema.classes)), available_bytes()
    if 0 < there < needed:  # 0: this system does not report it
        raise ModelFileError(
            "there is not enough memory to load the file",
            got=f"a need of about {needed / 2**20:,.0f} MB, where {there / 2**20:,.0f} are free",
        )


@dataclass(frozen=True, eq=False)
class PackedTrees:
    """The trees of a file, built and checked on access."""

    head: Head
    facts: list[dict[str, Any]]
    blocks: list[Block]
    data: memoryview

    def __iter__(self) -> Iterator[Tree]:
        for batch in in_order(self._trees_of, self._placed()):
            yield from batch

    def forest(self) -> PackedForest:
        """All trees, packed for predicting."""
        if len(self.facts) == 1 and all(map(may_be_plain, self.blocks)):
            schema = self.head.document.schema
            conventions, edits = self.head.facts(self.facts[0], "the trees")
            if conventions is not None and not edits:
                columns = in_order(self._columns_of, self._placed())
                forest = plain_forest(schema, conventions, columns)
                if forest is not None:
                    return forest
        return PackedForest.from_trees(self)

    def _placed(self) -> Iterator[tuple[Block, memoryview, int]]:
        """The blocks with their bytes, and the number of the first tree of each."""
        start = first_tree = 0
        for block in self.blocks:
            yield block, self.data[start : start + block.stored], first_tree
            start += block.stored
            first_tree += block.entries("n_nodes")

    def _columns_of(self, placed: tuple[Block, memoryview, int]) -> list[TreeColumn]:
        return read_block(placed[0], placed[1], len(self.head.document.schema.classes))

    def _trees_of(self, placed: tuple[Block, memoryview, int]) -> list[Tree]:
        schema = self.head.document.schema
        trees: list[Tree] = []
        known: tuple[Any, Any] = (None, None)
        with np.errstate(all="ignore"):  # whatever the numbers are, the checks judge them
            for arrays in arrays_from(self._columns_of(placed), len(schema.classes)):
                number = placed[2] + len(trees)
                fact = self.facts[number] if len(self.facts) > 1 else self.facts[0]
                if fact is not known[0]:  # what all trees share is read once
                    known = fact, self.head.facts(fact, f"tree {number}")
                conventions, edits = known[1]
                tree = Tree(schema=schema, conventions=conventions, edits=edits, **arrays)
                trees.append(checked(tree, self.head.most_categories))
        return trees


# -------------------------------------------------------------------- threads


def _n_threads() -> int:
    return min(thread_count(-1), MOST_THREADS)


def in_order(call: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """The results of calls, in the order of the items, a few of them ahead in threads."""
    n_threads = _n_threads()
    items = iter(items)
    first = next(items, None)
    if first is None:
        return
    second = next(items, None)
    if second is None or n_threads == 1:
        yield call(first)
        if second is not None:
            yield call(second)
            yield from map(call, items)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        waiting: deque[Future[Result]] = deque(pool.submit(call, i) for i in (first, second))
        for item in items:
            waiting.append(pool.submit(call, item))
            if len(waiting) > 2 * n_threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
