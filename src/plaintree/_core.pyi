"""Types of the native module; see src/core/bind."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Buffer

def grow(
    columns: list[NDArray[Any]],
    n_categories: Sequence[int],
    target: NDArray[np.int32] | NDArray[np.float64],
    n_classes: int,
    weights: NDArray[np.float64] | None,
    params: dict[str, Any],
    n_threads: int,
    case_weights: Any = ...,
    tree: Any = ...,
    todo: NDArray[np.uint8] | None = ...,
    grows_new_branches: bool = ...,
) -> tuple[dict[str, NDArray[Any]], list[int]]: ...
def offers_at(
    columns: list[NDArray[Any]],
    n_categories: Sequence[int],
    target: NDArray[np.int32] | NDArray[np.float64],
    n_classes: int,
    weights: NDArray[np.float64] | None,
    params: dict[str, Any],
    n_threads: int,
    case_weights: Any,
    tree: Any,
    todo: NDArray[np.uint8],
    cuts_of: int = ...,
) -> dict[str, Any]: ...

class _Predict(Protocol):
    def __call__(
        self,
        tree: Any,
        columns: list[NDArray[Any]],
        n_categories: Sequence[int],
        n_rows: int,
        unseen_stops: bool,
        n_threads: int,
    ) -> NDArray[Any]: ...

predict_nodes: _Predict
predict_classes: _Predict
predict_shares: _Predict

def chi_square_p(table: Sequence[float], n_columns: int) -> float: ...
def adjusted_p(
    table: Sequence[float], n_columns: int, kind: int, n_values: int, n_features: int
) -> float: ...
def prune_error_based(
    tree: Any,
    columns: list[NDArray[Any]],
    n_categories: Sequence[int],
    classes: NDArray[np.int32],
    weights: NDArray[np.float64] | None,
    confidence: float,
    criterion: int,
) -> tuple[dict[str, NDArray[Any]], NDArray[np.float64]]: ...
def table_hash(
    columns: list[NDArray[Any]],
    n_categories: Sequence[int],
    target: NDArray[np.int32] | NDArray[np.float64],
    weights: NDArray[np.float64] | None,
    n_threads: int,
) -> int: ...
def shortened_counts(
    clauses: NDArray[np.int32],
    begins: NDArray[np.int64],
    labels: NDArray[np.int32],
    satisfying: NDArray[np.uint64],
    of_class: NDArray[np.uint64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...
def best_subset(
    covers: NDArray[np.uint64],
    positive: NDArray[np.uint64],
    n_rows: int,
    rule_bits: NDArray[np.float64],
    starts: NDArray[np.uint8] | None,
) -> NDArray[np.uint8]: ...
def chosen_cuts(
    begins: NDArray[np.int64],
    classes: NDArray[np.int32],
    weights: NDArray[np.float64],
    n_classes: int,
    mdl: bool,
) -> NDArray[np.int64]: ...

class Forest:
    def append(self, tree: Any, criterion: int, any_node_answers: bool) -> None: ...
    def append_plain(
        self,
        n_classes: int,
        n_nodes: NDArray[np.uint32],
        is_inner: NDArray[np.uint8],
        feature: NDArray[np.int32],
        threshold: NDArray[np.float64],
        missing_child: NDArray[np.int8],
        n_tied: NDArray[np.int32],
        leaf_rows: NDArray[np.uint32],
        leaf_counts: NDArray[np.int32],
        any_node_answers: bool,
    ) -> None: ...
    def extend(self, more: Forest) -> None: ...
    def __len__(self) -> int: ...
    def tree(self, i: int) -> dict[str, NDArray[Any]]: ...
    def n_nodes(self, i: int) -> int: ...
    def n_bytes(self) -> int: ...
    def shares(
        self,
        columns: list[NDArray[Any]],
        n_categories: Sequence[int],
        n_rows: int,
        first: int,
        last: int,
        voting: int,
        unseen_stops: bool,
        n_threads: int,
    ) -> NDArray[np.float64]: ...
    def out_of_bag(
        self,
        columns: list[NDArray[Any]],
        n_categories: Sequence[int],
        target: NDArray[np.int32] | NDArray[np.float64],
        rows: NDArray[np.uint32],
        sampling: dict[str, int],
        voting: int,
        unseen_stops: bool,
        n_threads: int,
    ) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.float64]]: ...
    def permutation_losses(
        self,
        columns: list[NDArray[Any]],
        n_categories: Sequence[int],
        target: NDArray[np.int32] | NDArray[np.float64],
        rows: NDArray[np.uint32],
        sampling: dict[str, int],
        unseen_stops: bool,
        n_threads: int,
    ) -> NDArray[np.float64]: ...

def grow_forest(
    columns: list[NDArray[Any]],
    n_categories: Sequence[int],
    target: NDArray[np.int32] | NDArray[np.float64],
    n_classes: int,
    weights: NDArray[np.float64] | None,
    params: dict[str, Any],
    options: dict[str, Any],
    n_threads: int,
    progress: Callable[[int], None] | None,
) -> Forest: ...
def draw_sample(sampling: dict[str, int], tree: int, n_rows: int) -> NDArray[np.uint32]: ...

BLOCK_ROWS: int

class BlockEncoder:
    def __init__(self, borders: Sequence[NDArray[np.float64]]) -> None: ...
    def encode(
        self,
        columns: list[NDArray[Any]],
        n_categories: Sequence[int],
        target: NDArray[np.int32] | NDArray[np.float64],
        n_classes: int,
        weights: NDArray[np.float64] | None,
        first_row: int,
    ) -> tuple[bytes, bytes]: ...

class Pass:
    def __init__(self, request: Buffer) -> None: ...
    def add(self, block: Buffer, state: Buffer) -> bytes: ...
    def reply(self) -> bytes: ...

class LevelGrower:
    def __init__(
        self,
        facts: Buffer,
        params: dict[str, Any],
        options: dict[str, Any],
        checkpoint: Buffer = ...,
    ) -> None: ...
    def next(self) -> bytes | None: ...
    def answer(self, reply: Buffer) -> None: ...
    def state(self) -> bytes: ...
    def progress(self) -> dict[str, Any]: ...
    def finish(self) -> tuple[dict[str, NDArray[Any]], list[int]]: ...

def merge_facts(facts: list[bytes]) -> bytes: ...
def rows_request(columns: Sequence[int]) -> bytes: ...
def rows_of_reply(
    reply: Buffer,
) -> tuple[
    list[NDArray[Any] | None], NDArray[Any], NDArray[np.float64] | None, list[tuple[int, int]]
]: ...
def describe_facts(facts: Buffer) -> dict[str, Any]: ...
def describe_request(request: Buffer) -> dict[str, int]: ...
def check_block(block: Buffer) -> None: ...
def route_block(block: Buffer, state: Buffer, request: Buffer) -> bytes: ...
def answer_blocks(blocks: list[bytes], states: list[bytes], request: Buffer) -> bytes: ...
def merge_replies(replies: list[bytes]) -> bytes: ...
