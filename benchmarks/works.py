"""What is measured and what has to be reached: the works and their targets, as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from measure import Job, Result
from peers import PEERS
from tables import TABLES

EXACT = ("plaintree", "scikit-learn", "sklearnex", "YDF")
SHALLOW = (*EXACT, "LightGBM", "XGBoost")
ONE_TREE = ("LightGBM, one tree", "XGBoost, one tree")


@dataclass(frozen=True)
class Work:
    """One tree on one table, grown by several libraries."""

    name: str
    table: str
    depth: int | None
    peers: tuple[str, ...]
    slow: tuple[str, ...] = ()
    """Libraries measured only once, because once takes long enough."""

    def jobs(self, repeat: int, quick: bool) -> list[Job]:
        """The measurements, one per library and number of threads."""
        spec = TABLES[self.table]
        rows = spec.quick_rows if quick else spec.rows
        return [
            Job(
                table=self.table,
                rows=rows,
                peer=peer,
                threads=threads,
                depth=self.depth,
                repeat=1 if peer in self.slow and not quick else repeat,
            )
            for peer in self.peers
            for threads in PEERS[peer].threads
        ]

    def words(self, quick: bool) -> str:
        """The work in words."""
        spec = TABLES[self.table]
        rows = spec.quick_rows if quick else spec.rows
        depth = "fully grown" if self.depth is None else f"to depth {self.depth}"
        return f"{self.name}: {rows:,} rows, {spec.words}, {depth}"


WORKS = (
    Work("deep_1m", "1m", None, EXACT, slow=("scikit-learn", "YDF")),
    Work("deep_100k", "100k", None, EXACT),
    Work("deep_coded", "coded", None, EXACT),
    Work("deep_mixed", "mixed", None, EXACT),
    Work("depth6_1m", "1m", 6, SHALLOW, slow=("scikit-learn", "YDF")),
    Work("depth6_100k", "100k", 6, SHALLOW),
    Work("depth6_coded", "coded", 6, SHALLOW),
    Work("depth6_mixed", "mixed", 6, (*SHALLOW, *ONE_TREE)),
    Work("text", "text", 6, ("plaintree", "LightGBM", "YDF")),
)

VIEWS = {"predict_1m": "deep_1m", "memory": "deep_1m"}
"""Works that are read off the measurements of another one: its predictions, its memory."""

Measure = Literal["fit", "predict", "memory"]


@dataclass(frozen=True)
class Target:
    """How much better than a peer, or than the fastest of all, plaintree has to be."""

    work: str
    factor: float
    threads: int = 1
    peer: str | None = None
    measure: Measure = "fit"

    def words(self) -> str:
        """The target as a line of the summary."""
        if self.measure == "memory":
            return f"peak memory at most {self.factor:g} x the table"
        verb = "predict" if self.measure == "predict" else "fit"
        against = self.peer or "the fastest peer"
        return f"{verb} {self.factor:g} x {against}, {self.threads} thread(s)"

    def reached(self, results: Sequence[Result]) -> tuple[float, str] | None:
        """The factor that was reached and the peer it holds against; None if not measured."""
        own = [r for r in results if r.job.peer == "plaintree" and r.job.threads == self.threads]
        if not own:
            return None
        if self.measure == "memory":
            return own[0].memory_bytes / own[0].table_bytes, "the table"
        rivals = [
            r for r in results if r.job.threads <= self.threads and self._is_rival(r.job.peer)
        ]
        if not rivals:
            return None
        fastest = min(rivals, key=self._seconds)
        return self._seconds(fastest) / self._seconds(own[0]), fastest.job.peer

    def is_met(self, factor: float) -> bool:
        """Whether a reached factor is good enough."""
        return factor <= self.factor if self.measure == "memory" else factor >= self.factor

    def _seconds(self, result: Result) -> float:
        """CPU seconds on one thread, where neighbours hardly disturb; wall seconds on more."""
        times = result.predict if self.measure == "predict" else result.fit
        return times.cpu if self.threads == 1 else times.wall

    def _is_rival(self, peer: str) -> bool:
        if self.peer is not None:
            return peer == self.peer
        return peer != "plaintree" and PEERS[peer].same_work


def is_disturbed(result: Result) -> bool:
    """Whether other processes held a one-thread measurement up, so that its wall time lies."""
    return result.job.threads == 1 and result.fit.wall > 1.1 * result.fit.cpu


TARGETS = (
    Target("deep_1m", 18, peer="scikit-learn"),
    Target("deep_1m", 30, threads=2, peer="scikit-learn"),
    Target("deep_1m", 7, peer="YDF"),
    Target("deep_1m", 1.5, peer="sklearnex"),
    Target("deep_1m", 1.5, threads=2, peer="sklearnex"),
    *(
        Target(f"deep_{table}", 1.5, threads=threads)
        for table in ("100k", "coded", "mixed")
        for threads in (1, 2)
    ),
    *(
        Target(f"depth6_{table}", 1.0, threads=threads)
        for table in ("1m", "100k", "coded", "mixed")
        for threads in (1, 2)
    ),
    Target("text", 1.0, peer="LightGBM"),
    Target("text", 1.0, threads=2, peer="LightGBM"),
    Target("text", 2.0, peer="YDF"),
    Target("predict_1m", 2.0, peer="scikit-learn", measure="predict"),
    Target("memory", 3.0, measure="memory"),
)
