"""The explanation of one answer as data, and written for people: text, JSON and HTML."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any, Literal

from plaintree.data.schema import Label
from plaintree.data.words import line_width, plain, weight_text, wrapped

from ..numbers import percent
from .firing import Firing
from .shares import CLASSES_SHOWN, ClassShare, as_json, share_dicts, share_lines
from .vote import Vote

PATHS_SHOWN = 5
"""In text; the heaviest ones. All of them are in the data."""

Reason = Literal["value", "missing", "unseen"]


@dataclass(frozen=True)
class Step:
    """One test on the way.

    - ``node``: where it is made, None in a rule; ``attribute``: what is tested; ``value``: the
      row's own, None if missing;
    - ``words``: the branch taken, such as ``humidity > 75``; ``remark``: the row's value in words
      where the branch does not name it, or why the row takes a branch without a value for it;
    - ``reason``: the row takes it by its "value", or because that is "missing" or "unseen" (a
      category that training did not have here); ``share``: of the row, what takes this branch.
    """

    node: int | None
    feature: str
    value: Any
    words: str
    remark: str
    reason: Reason
    share: float

    def __str__(self) -> str:
        return f"{self.words} ({self.remark})" if self.remark else self.words


@dataclass(frozen=True)
class Path:
    """A way of the row, or a part of it, from the root to the node that answers.

    - ``share``: how much of the row goes this way, 1 unless missing values divide it;
    - ``node``: where it ends: a leaf, or with ``stopped`` (words that say why) a node above. Of a
      rule it is the leaf that the rule was made from, of the default of a list of rules None;
    - ``weight``: of the training rows there; ``shares``: of their classes, in the schema's order;
    - ``inherits``: whether the node predicts the same class as the one above it.
    """

    share: float
    steps: tuple[Step, ...]
    node: int | None
    weight: float
    shares: tuple[ClassShare, ...]
    stopped: str | None = None
    inherits: bool = True


@dataclass(frozen=True)
class NewValue:
    """One attribute's part of a change: the value to take instead of another (None: missing).

    ``words`` say which values do as well: ``humidity <= 75``.
    """

    feature: str
    value: Any
    instead_of: Any
    words: str
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Change:
    """The smallest change, and the ``answer`` it leads to.

    - ``distance``: the sum of the changed attributes' distances;
    - ``leaf``, ``weight``: the leaf that then answers, and the weight of its training rows; None
      if missing values still divide the row over several.
    """

    answer: Label
    new_values: tuple[NewValue, ...]
    distance: float
    leaf: int | None
    weight: float | None

    def applied_to(self, row: dict[str, Any]) -> dict[str, Any]:
        """The row with the change made to it."""
        return row | {new.feature: new.value for new in self.new_values}


@dataclass(frozen=True)
class Explanation:
    """Why a model answers a row as it does; :func:`plaintree.show.explain.explain.explain` makes
    it.

    - ``answer``: the class; ``shares``: of all classes, in the schema's order. Intervals are
      Wilson's, of the given ``confidence``, with the weight of the leaf's training rows as their
      number; sample weights (``weighted``) are scaled to a mean of one first. Where missing values
      divide the row, shares and intervals of the leaves are averaged by what goes there.
    - ``paths``: the way from the root, the heaviest first if missing values divide the row.
    - ``change``: the smallest change that alters the answer, None if there is none; then
      ``search_ended_at`` is None, or, if not everything was tried, how many attributes would have
      to change at least.
    - ``frozen``: the attributes that were not allowed to change.
    - ``vote``: None where one tree answers. Where many do, ``shares`` are those of their vote,
      ``paths`` are the way down the tree that is typical of them, and no change is looked for.
    - ``firing``: None where trees answer. Where a list of rules does, ``paths`` are the conditions
      of the rule that answers, ``shares`` those of the training rows that satisfy it (of the rows
      that no rule covers, where the default answers), and no change is looked for.
    """

    answer: Label
    shares: tuple[ClassShare, ...]
    paths: tuple[Path, ...]
    change: Change | None
    confidence: float
    weighted: bool = False
    frozen: tuple[str, ...] = ()
    search_ended_at: int | None = None
    vote: Vote | None = None
    firing: Firing | None = None

    @property
    def path(self) -> Path:
        """The path, or the one that the largest part of the row takes."""
        return self.paths[0]

    # ---------------------------------------------------------------- writing

    def to_text(self, width: int = 80) -> str:
        """The explanation for reading, wrapped at a width."""
        columns = line_width(width)
        lines: list[str] = []
        for line in self._lines():
            text = line.lstrip(" ")
            indent = " " * (len(line) - len(text))
            lines += wrapped(text.split(" "), columns, indent, indent + "    ")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.to_text())}</pre>"

    def _lines(self) -> Iterator[str]:
        if self.firing is not None:
            yield from self._firing_lines(self.firing)
            return
        if self.vote is None:
            yield from (*self._reasons(), *self._shares(), "", *self._change())
            return
        yield from self.vote.lines(self.answer, self.shares, self.confidence)
        if len(self.paths) > 1:
            yield "  (Missing values divide the row; this is the way of its largest part.)"
        yield from (f"  {step}" for step in _path_lines(self.path))
        yield f"  and there {_class_list(self.path)}"
        yield from ("", self.vote.no_change())

    def _firing_lines(self, firing: Firing) -> Iterator[str]:
        yield firing.headline(self.answer, conditions=bool(self.path.steps))
        yield from (f"  {step}" for step in self.path.steps)
        yield from firing.unknown_lines()
        weight = self.path.weight
        yield firing.rows(self._rows(weight) if weight else None)
        yield from share_lines(self.shares)
        yield self._flattery("rules were", "them")
        yield from firing.standing_lines()

    def _reasons(self) -> Iterator[str]:
        answer = f"The answer is {plain(self.answer)}"
        if len(self.paths) == 1:
            steps = _path_lines(self.path)
            yield f"{answer}, because" if steps else f"{answer}: the tree is a single leaf."
            yield from (f"  {step}" for step in steps)
            return
        yield f"{answer}. Missing values divide the row over {len(self.paths)} paths:"
        for path in self.paths[:PATHS_SHOWN]:
            yield f"  {percent(path.share)} of it, because"
            yield from (f"    {step}" for step in _path_lines(path))
            yield f"    and there {_class_list(path)}"
        if len(self.paths) > PATHS_SHOWN:
            rest = sum(path.share for path in self.paths[PATHS_SHOWN:])
            yield f"  {percent(rest)} of it on {len(self.paths) - PATHS_SHOWN} more paths"

    def _shares(self) -> Iterator[str]:
        if len(self.paths) > 1:
            yield "Altogether:"
        elif self.path.weight > 0:
            yield f"Of {self._rows(self.path.weight)} there:"
        else:
            of_whom = "node above" if self.path.inherits else "leaf itself"
            yield f"No training rows went there; the answer is that of the {of_whom}:"
        yield from share_lines(self.shares)
        if len(self.paths) == 1 and self._is_outvoted:
            yield "The label of the leaf is not the majority class of these rows."
        yield self._flattery("tree was", "it")

    @property
    def _is_outvoted(self) -> bool:
        """Whether another class has more of the training rows than the answer."""
        own = next(share.share for share in self.shares if share.label == self.answer)
        return own < max(share.share for share in self.shares)

    def _flattery(self, model: str, it: str) -> str:
        """What the intervals are, and why they say too much."""
        scaled = "weights scaled to a mean of one; " if self.weighted else ""
        return (
            f"({100 * self.confidence:.4g}% Wilson intervals; {scaled}the {model} fitted to these "
            f"rows, so they flatter {it}.)"
        )

    def _rows(self, weight: float) -> str:
        if self.weighted:
            return f"training rows with a weight of {weight_text(weight)}"
        return f"{weight_text(weight)} training row{'' if weight == 1 else 's'}"

    def _change(self) -> Iterator[str]:
        if self.change is None:
            yield self._no_change()
            return
        n = len(self.change.new_values)
        evidence = ""
        if self.change.weight is not None:
            rows = self._rows(self.change.weight) if self.change.weight else "no training rows"
            evidence = f" ({rows} there)"
        changes = "one change" if n == 1 else f"{n} changes"
        yield f"The answer would be {plain(self.change.answer)}{evidence} with {changes}:"
        yield from (f"  {new}" for new in self.change.new_values)

    def _no_change(self) -> str:
        if self.search_ended_at == 1:
            return "Whether some change alters the answer was not found out: too many to try."
        if self.search_ended_at is not None:
            return (
                f"No change of fewer than {self.search_ended_at} values alters the answer; larger "
                "ones are too many to try."
            )
        if self.frozen:
            names = ", ".join(map(plain, self.frozen))
            return f"No change can alter the answer while these stay as they are: {names}."
        return "No change can alter the answer."

    # ---------------------------------------------------------------- data

    def to_dict(self) -> dict[str, Any]:
        """The explanation as plain dictionaries, lists, texts and numbers, ready for JSON."""
        return {
            "answer": self.answer,
            "shares": share_dicts(self.shares),
            "confidence": self.confidence,
            "interval": None if self.vote and self.vote.method == "weight" else "wilson",
            "weighted": self.weighted,
            "paths": [_path_dict(path) for path in self.paths],
            "change": None if self.change is None else _change_dict(self.change),
            "frozen": list(self.frozen),
            "search_ended_at": self.search_ended_at,
            "vote": None if self.vote is None else self.vote.to_dict(),
            "firing": None if self.firing is None else self.firing.to_dict(),
        }


def _path_lines(path: Path) -> list[str]:
    return [*map(str, path.steps), *([path.stopped] if path.stopped else [])]


def _class_list(path: Path) -> str:
    if not path.weight:
        return "no training rows"
    shown = sorted((s for s in path.shares if s.share > 0), key=lambda s: -s.share)
    words = [f"{plain(s.label)} {percent(s.share)}" for s in shown[:CLASSES_SHOWN]]
    return ", ".join(words) + (", ..." if len(shown) > CLASSES_SHOWN else "")


def _path_dict(path: Path) -> dict[str, Any]:
    return {
        "share": path.share,
        "steps": [
            {
                "node": step.node,
                "feature": step.feature,
                "value": as_json(step.value),
                "condition": step.words,
                "remark": step.remark,
                "reason": step.reason,
                "share": step.share,
            }
            for step in path.steps
        ],
        "stopped": path.stopped,
        "node": path.node,
        "weight": path.weight,
        "shares": share_dicts(path.shares),
    }


def _change_dict(change: Change) -> dict[str, Any]:
    return {
        "answer": change.answer,
        "new_values": [
            {
                "feature": new.feature,
                "value": as_json(new.value),
                "instead_of": as_json(new.instead_of),
                "condition": new.words,
            }
            for new in change.new_values
        ],
        "distance": change.distance,
        "leaf": change.leaf,
        "weight": change.weight,
    }
