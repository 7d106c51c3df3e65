"""Sentences about leaves, and about nodes that differ from what growing gives.

A tree may have been cut, relabelled, grafted, pruned or counted on other rows. Each sentence is
true of the tree as it is; its history is mentioned only if the tree has a record of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import isnan

from plaintree.data.schema import Schema
from plaintree.stats.exact import Value
from plaintree.stats.sums import Sums

from .choice import same_score
from .document import Block, Listing, Number, Paragraph, Part
from .formulas import SCORE, test_name
from .held import held
from .steps import TIES, Difference, Step, Steps
from .stops import Leaf, Reason
from .terms import Terms
from .tried import Tried
from .words import Paths, count_text, rows_text

REMARKS_LISTED = 30
AGREES = "Every split of the tree is the one found here, and every leaf is where growing stops."
WHY: dict[Reason, str] = {
    "empty": "there are no rows",
    "unused": "no attribute is left to split on",
    "refused": "no split qualifies",
}


@dataclass(frozen=True, eq=False)
class Remarks:
    """The sentences about the leaves of a tree and about its differences."""

    steps: Steps
    terms: Terms[Sums]

    @property
    def shown(self) -> Schema:
        """The schema with names fit to print."""
        return self.terms.shown

    @cached_property
    def paths(self) -> Paths:
        """The paths to the nodes as text."""
        return Paths(self.steps.tree, self.shown)

    @property
    def _score(self) -> str:
        return "gain ratio" if self.steps.rules.criterion in SCORE else "gain"

    # ---------------------------------------------------------------- leaves

    def end_words(self, step: Step) -> str:
        """The text of a branch without a section: its leaf, or that it has no rows."""
        if step.leaf is None:
            return f"no rows; the tree nevertheless splits on {self._test(step)}"
        label = self.terms.label_text(step.label)
        if step.leaf.reason == "empty":
            above = "" if step.label_differs else ", as in the node above"
            said = f"no rows, a leaf: {label}{above}"
        else:
            said = f"{self._counted(step)}, a leaf: {label}"
        if step.leaf.reason not in ("pure", "empty"):
            said += f"; {self.why(step, step.leaf)}"
        return f"{said}; {self._label(step)}" if step.label_differs else said

    def _counted(self, step: Step) -> str:
        """The rows of a node and their targets."""
        weight = self.terms.sums.weight(step.counts)
        counted = rows_text(len(step.rows))
        if weight != len(step.rows):
            counted += f" of weight {count_text(weight)}"
        return f"{counted}{self.terms.described(step.counts, len(step.rows))}"

    def why(self, step: Step, leaf: Leaf) -> str:
        """Why growing stops at a node."""
        rules = self.steps.rules
        match leaf.reason:
            case "pure":
                return self.terms.all_alike
            case "depth":
                return f"the maximum depth, {rules.max_depth}, is reached"
            case "leaves":
                return f"the maximum number of leaves, {rules.max_leaf_nodes}, is reached"
            case "few":
                return f"a split needs at least {self.steps.cases.min_to_split:g} rows"
            case "insignificant":
                p_value = step.choice.p_value if step.choice else None
                test = "adjusted" if rules.significance_test == "adjusted" else "chi-square"
                return f"the split is not significant, {test} p = {p_value:.3g}"
            case "folded":
                assert leaf.errors is not None, "folding compares errors"
                below, here = map(format_errors, leaf.errors)
                errors = "error" if below == "1" else "errors"
                return f"its branches would make {below} {errors}, no fewer than its own {here}"
            case "stopped":
                return f"growing would continue with {self._preferred(step)}"
            case _:
                return WHY[leaf.reason]

    def _label(self, step: Step) -> str:
        """How the label of a leaf differs from what growing gives it."""
        return self.terms.label_words(step.counts, step.label, step.expected)

    # ---------------------------------------------------------------- differences

    def below_choice(self, step: Step) -> Iterator[Paragraph]:
        """The paragraphs below the choice of a node, where the tree differs."""
        different = [kind for kind in step.differences if kind != "counts"]
        for kind in different:
            parts = self._parts(step, kind)
            if kind in ("split", "beyond") and kind == different[-1]:
                parts = (*parts, " The derivation follows the tree.")
            yield Paragraph(parts, warning=kind not in TIES)
        if not different and self._written_otherwise(step):
            words = f"The tree writes this split as {self._test(step)}: each row goes the same way."
            yield Paragraph((words,))

    def counts(self, step: Step) -> Paragraph:
        """The sums that the tree holds for a node, where they are others."""
        return Paragraph(self._parts(step, "counts"), warning=True)

    def summary(self) -> Iterator[Block]:
        """Whether growing by these values gives the tree, and where not."""
        edits = Counter(str(edit.get("edit", "change")) for edit in self.steps.tree.edits)
        if edits:
            told = ", ".join(f"{name} ({n} times)" if n > 1 else name for name, n in edits.items())
            yield Paragraph((f"The tree was edited by hand after it was grown: {told}.",))
        every = [(step, kind) for step in self.steps.in_order for kind in step.differences]
        if not every:
            yield Paragraph((AGREES,))
            return
        only_ties = all(kind in TIES for _, kind in every)
        words = "The tree differs from the tree that growing by these values gives:"
        yield Paragraph((words,), warning=not only_ties)
        items = [self._item(step, kind) for step, kind in every[:REMARKS_LISTED]]
        if len(every) > len(items):
            items.append((f"... and {len(every) - len(items)} more",))
        yield Listing(tuple(items))

    def _item(self, step: Step, kind: Difference) -> tuple[Part, ...]:
        where = self.paths.text(step.node) or "the root"
        return (f"At {where}: ", *self._parts(step, kind))

    def _parts(self, step: Step, kind: Difference) -> tuple[Part, ...]:
        """One sentence about a difference."""
        label = self.terms.label_text(step.label)
        match kind:
            case "split":
                return self._other_split(step)
            case "tie":
                return self._tie(step)
            case "surrogates" | "surrogate_tie":
                return (self._surrogates(step),)
            case "beyond":
                assert step.beyond is not None, "of this kind"
                why = self.why(step, step.beyond)
                return (f"Growing would stop here: {why}. The tree splits on {self._test(step)}.",)
            case "stopped":
                why = f"although growing would continue with {self._preferred(step)}"
                return (f"The tree has a leaf here, which predicts {label}, {why}.",)
            case "label":
                words = self._label(step)
                return (f"{words[0].upper()}{words[1:]}.",)
            case "counts":
                tree = held(self.steps.tree, self.terms.sums)
                return (f"The tree has other {tree.sums_text(step.node)}.",)

    def _tie(self, step: Step) -> tuple[Part, ...]:
        assert step.taken is not None, "a tie was measured"
        score, best = (tried.measures.score for tried in (step.taken, self._winner(step)))
        splits = f"The tree splits on {self._test(step)} instead. It scores "
        near = 1e-9 * self.steps.cases.yardstick(step.rows)
        if same_score(score, best, near):
            return (f"{splits}the same, ", Number(score), ": a tie.")
        within = f": a tie within the tolerance of {self.steps.rules.tie_tolerance:g}."
        return (splits, Number(score), within)

    def _surrogates(self, step: Step) -> str:
        """Other surrogates than those found, or another branch of rows that none of them knows."""
        assert step.sending is not None, "they were compared"
        mine, theirs = (
            ", ".join(surrogate.describe(self.shown, 0) for surrogate in some) or "none"
            for some in (step.sending.kept, self.steps.tree.surrogates(step.node))
        )
        tied = " They agree equally." if step.surrogates == "tie" else ""
        if mine == theirs:
            return f"The tree sends rows that no surrogate knows elsewhere.{tied}"
        return f"The tree has other surrogates here: {theirs} instead of {mine}.{tied}"

    def _other_split(self, step: Step) -> tuple[Part, ...]:
        """Another split than the one preferred, what it scores, and why it may not be chosen."""
        preferred: Value = self._winner(step).measures.score
        scored: tuple[Part, ...] = ("although no row has a value",)
        objection = step.objection
        if step.taken is not None:
            score = step.taken.measures.score
            scored = (f"with a {self._score} of ", Number(score))
            if isnan(score):
                scored = (f"which has no {self._score}",)
            elif not objection and score > preferred:
                objection = "for each attribute, only the split with the greatest gain is compared"
        return (
            f"The tree splits on {self._test(step)} here, ",
            *scored,
            f" ({objection})" if objection else "",
            f"; the criterion prefers {self._preferred(step)}, with ",
            Number(preferred),
            ".",
        )

    def _test(self, step: Step) -> str:
        assert step.split is not None, "a leaf has no split"
        return test_name(step.split, self.shown)

    def _preferred(self, step: Step) -> str:
        """The split found here."""
        return test_name(self._winner(step).condition, self.shown)

    def _winner(self, step: Step) -> Tried:
        winner = step.choice.winner if step.choice else None
        best = winner.best if winner else None
        assert best is not None, "a split was found"
        return best

    def _written_otherwise(self, step: Step) -> bool:
        """Whether the tree has the split found here under another name."""
        found = step.condition is not None and step.choice is not None and step.choice.winner
        return bool(found) and self._test(step) != self._preferred(step)


def format_errors(errors: Value) -> str:
    """A number of errors as text."""
    return count_text(errors) if not isinstance(errors, float) else f"{errors:.4g}"
