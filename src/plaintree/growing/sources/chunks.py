"""Tables in files on one machine: rows encoded once as blocks in a file, and counted from there."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from plaintree import _core
from plaintree.data.batches import target_of
from plaintree.data.dataset import Dataset
from plaintree.data.parts import Part, Reading, part_from
from plaintree.data.survey import SAMPLE_ROWS, Survey
from plaintree.errors import TableError
from plaintree.growing.blocks import Layout
from plaintree.growing.counts import ENCODING, SURVEYING
from plaintree.growing.limits import Limits, TableSize, refuse_labels
from plaintree.progress import Progress, no_progress

from .block_files import BlockFiles, key_of
from .row_states import RowStates

SAMPLE_BYTES = 32 * 2**20
"""Of the sample of all columns."""
MERGED_AT_ONCE = 16
"""Surveys that are held before they are merged."""
LABELS_AT_ONCE = 16 * 2**20
"""Bytes of categories that are held before they are merged, if all others are not more."""
FACTS_AT_ONCE = 2**23
"""Bytes of facts of blocks that are held before they are merged."""


class DatasetParts:
    """A dataset as a table in parts: each batch of rows is a part."""

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset

    @property
    def reading(self) -> Reading:
        """How rows are read."""
        return Reading(target_of(self.dataset), self.dataset.columns, self.dataset.weights)

    def survey(self, reading: Reading, report: Progress = no_progress) -> Survey:
        """Look at all rows once."""
        self.dataset.warn_of_types(report)
        n_rows = self.dataset.n_rows
        most = max(2**12, min(SAMPLE_ROWS, SAMPLE_BYTES // (8 * len(self.dataset.columns))))
        merged: list[Survey] = []
        done = held = 0
        for number, part in enumerate(self.parts(reading)):
            n = 0 if part is None else len(part)
            wanted = n if n_rows <= most else -(-n * most // n_rows)
            merged.append(Survey.of(part, reading, number, max(1, wanted)))
            held += merged[-1].label_bytes
            if len(merged) == MERGED_AT_ONCE or held > max(LABELS_AT_ONCE, merged[0].label_bytes):
                merged, held = [Survey.merged(merged, 2 * SAMPLE_ROWS)], 0
                if merged[0].label_bytes > LABELS_AT_ONCE:
                    refuse_labels(self.dataset.memory_limit, merged[0])
            done += n
            report(SURVEYING, done, n_rows)
        return Survey.merged(merged or [Survey({0: 0})], 2 * SAMPLE_ROWS)

    def limits(self, survey: Survey) -> Limits:
        """How memory_limit is shared out."""
        return Limits.of_table(self.dataset.memory_limit, TableSize.of(survey))

    def parts(self, reading: Reading) -> Iterator[Part | None]:
        """The rows in batches, in the order of the survey; None: one without rows."""
        for path, rows, frame in self.dataset.located_batches():
            yield part_from(frame, reading, path, rows)

    def encoded(
        self, layout: Layout, survey: Survey, limits: Limits, report: Progress = no_progress
    ) -> BlocksOnDisk:
        """Encode all rows as blocks in files."""
        return encode_dataset(self, layout, survey, limits, report)


def encode_dataset(
    table: DatasetParts,
    layout: Layout,
    survey: Survey,
    limits: Limits,
    report: Progress = no_progress,
) -> BlocksOnDisk:
    """Encode all rows of a table in files, or take the blocks that a store has of them."""
    files = BlockFiles(table.dataset.store)
    try:
        key = key_of(table.dataset.key, layout, survey)
        if not (files.is_kept and files.reuse(key)):
            files.check_space(TableSize.of(survey).stored_bytes(survey.n_rows))
            files.begin()
            facts = _write_blocks(table, layout, survey, files, report)
            files.finish(facts, key)
    except BaseException:
        try:
            files.remove()
        except KeyboardInterrupt:  # polars and Python both raise it for one Ctrl-C
            files.remove()
        raise
    return BlocksOnDisk(files, limits)


def _write_blocks(
    table: DatasetParts, layout: Layout, survey: Survey, files: BlockFiles, report: Progress
) -> bytes:
    encoder, firsts = layout.encoder(), survey.first_rows
    facts: list[bytes] = []
    for number, part in enumerate(table.parts(layout.reading)):
        n_rows = 0 if part is None else len(part)
        if survey.rows.get(number) != n_rows:
            raise _other_rows(table.dataset, survey.rows.get(number, 0), n_rows)
        if part is None:
            continue
        for block, of_block in encoder.blocks(part, firsts[number]):
            files.write(block)
            facts.append(of_block)
            if sum(map(len, facts)) > FACTS_AT_ONCE:
                facts = [_core.merge_facts(facts)]
        report(ENCODING, firsts[number] + n_rows, survey.n_rows)
    return bytes(_core.merge_facts(facts))


def _other_rows(dataset: Dataset, before: int, now: int) -> TableError:
    return TableError(
        f"the rows of {dataset!r} changed while they were read",
        got=f"{now:,} rows where there were {before:,}",
        hint="fit again when nothing writes to the files.",
    )


class BlocksOnDisk:
    """A source of counts: blocks in a file, read one after the other by each thread."""

    def __init__(self, files: BlockFiles, limits: Limits) -> None:
        self.facts = files.facts
        self._files = files
        self._limits = limits
        self._unchecked = set(range(len(files.blocks)))
        self._states = RowStates(files.directory, limits.state_bytes)
        self._n_threads = max(1, min(limits.n_threads, len(files.blocks)))

    def answer(self, requests: Mapping[int, bytes]) -> dict[int, bytes]:
        """Read all blocks once, and reply to all requests."""
        self._states.keep_only(requests)
        work = _Work(len(self._files.blocks))
        if self._n_threads == 1:
            found = [self._pass(requests, work)]
        else:
            with ThreadPoolExecutor(self._n_threads) as threads:
                futures = [
                    threads.submit(self._pass, requests, work) for _ in range(self._n_threads)
                ]
                try:
                    found = [future.result() for future in futures]
                except BaseException:
                    work.stop()
                    raise
        if len(found) == 1:
            return found[0]
        return {tree: _core.merge_replies([own[tree] for own in found]) for tree in requests}

    def _pass(self, requests: Mapping[int, bytes], work: _Work) -> dict[int, bytes]:
        """Reply from the blocks that a thread takes."""
        passes: dict[int, Any] = {tree: _core.Pass(asked) for tree, asked in requests.items()}
        for number in work:
            with self._files.read(number, check=number in self._unchecked) as block:
                self._unchecked.discard(number)
                for tree, own in passes.items():
                    place = (tree, number)
                    before = self._states.get(place)
                    after = own.add(block, before)
                    if after is not before:
                        self._states.put(place, after)
        return {tree: own.reply() for tree, own in passes.items()}

    def release(self) -> None:
        """Remove the files that are not kept."""
        self._states.close()
        self._files.remove()


class _Work:
    """The numbers of blocks, each given to one thread."""

    def __init__(self, n: int) -> None:
        self._numbers = iter(range(n))
        self._lock = threading.Lock()
        self._stopped = False

    def __iter__(self) -> Iterator[int]:
        while True:
            with self._lock:
                number = None if self._stopped else next(self._numbers, None)
            if number is None:
                return
            yield number

    def stop(self) -> None:
        """Give out no more."""
        self._stopped = True
