"""Trees printed with one line per branch, as C4.5 and Weka's J48 print them.

A line is indented by a bar for each split above it. It has a branch of a split and, if the branch
ends there, the label of the leaf with its training rows and errors::

    outlook = sunny:
    |   humidity <= 75: yes (2.0)
    |   humidity > 75: no (3.0/1.0)
    outlook = overcast: yes (4.0)

Lines are read in three steps: :func:`printed_lines` divides them into parts, :func:`nested` finds
which belong together, and :func:`printed_tree` builds the nodes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NoReturn

from plaintree.data.schema import Feature, Label, Schema
from plaintree.errors import TreeError, nearest
from plaintree.tree.build import NodeDescription, build_tree
from plaintree.tree.condition import Condition, Equals, Grouped, Multiway, Threshold
from plaintree.tree.condition_text import split_values
from plaintree.tree.tree import Tree

BAR = "|   "
_TEST = re.compile(r"(.+?) (<=|>|=|!=|in) (.*)")
_AFTER_NAME = re.compile(r" (<=|>|=|!=|in) (.*)")
_NUMBER = r"\d+(?:\.\d+)?(?:E-?\d{1,2})?"
_ANSWER = re.compile(rf"(.*?)\s*\(({_NUMBER})(?:/({_NUMBER}))?\)", re.ASCII)
_DECIMAL = re.compile(r"[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d{1,3})?", re.ASCII)
_SUBTREE = re.compile(r"(.*?)\s*:\s*\[(S\d+)\]")
_VALUE_ENDS = re.compile(r"\s*:(?=\s)")


@dataclass(frozen=True)
class Answer:
    """A leaf: the class, the weight of its training rows, and the errors among them."""

    label: str
    weight: float
    errors: float


@dataclass(frozen=True)
class Line:
    """One branch: feature, operator, value or values; then a leaf, a subtree, or neither."""

    number: int
    depth: int
    name: str
    operator: str
    values: tuple[str, ...]
    answer: Answer | None = None
    subtree: str | None = None


@dataclass
class Branch:
    """A line and the lines below it; the root has no line."""

    line: Line | None
    below: list[Branch] = field(default_factory=list)
    answer: Answer | None = None


def fail(number: int, happened: str, got: str | None = None, hint: str | None = None) -> NoReturn:
    """Make the TreeError about a line."""
    raise TreeError(f"line {number} of the printed tree {happened}", got=got, hint=hint)


# -------------------------------------------------------------------- lines


def printed_lines(lines: Iterable[tuple[int, str]], schema: Schema | None) -> Iterator[Line]:
    """Divide numbered lines into their parts; empty lines are left out."""
    pending = ""
    for number, raw in lines:
        if not raw.strip():
            continue
        depth, text = _without_bars(raw.rstrip())
        if pending:
            text, pending = pending + text.strip(), ""
        if " in {" in text and "}" not in text:  # a long set goes on in the next line
            pending = text
            continue
        yield _line(number, depth, text.strip(), schema)


def _without_bars(text: str) -> tuple[int, str]:
    depth = 0
    while text.startswith(BAR, depth * len(BAR)):
        depth += 1
    return depth, text[depth * len(BAR) :]


def _line(number: int, depth: int, text: str, schema: Schema | None) -> Line:
    name, operator, rest = _test(number, text, schema)
    attribute = None if schema is None else schema.features[schema.position(name)]
    if ended := _SUBTREE.fullmatch(rest):
        line = Line(number, depth, name, operator, (ended[1],), subtree=ended[2])
    elif (answered := _ANSWER.fullmatch(rest)) and _VALUE_ENDS.search(answered[1]):
        value, label = _value_and_label(answered[1], attribute, schema)
        answer = Answer(label, float(answered[2]), float(answered[3] or 0))
        line = Line(number, depth, name, operator, (value,), answer=answer)
    else:
        line = Line(number, depth, name, operator, (rest.removesuffix(":").rstrip(),))
    if operator == "in":
        inside = line.values[0].removeprefix("{").removesuffix("}")
        known = [] if attribute is None else list(map(str, attribute.categories))
        return replace(line, values=split_values(inside, known))
    return line


def _test(number: int, text: str, schema: Schema | None) -> tuple[str, str, str]:
    """Return the feature, the operator and the rest of a line; known names are preferred."""
    if schema is not None:
        for name in sorted(schema.names, key=len, reverse=True):
            found = _AFTER_NAME.match(text, len(name)) if text.startswith(name) else None
            if found:
                return name, found[1], found[2]
    found = _TEST.match(text)
    if not found:
        fail(
            number,
            "is not a branch of a split",
            got=repr(text),
            hint="a line has a condition such as x <= 1, then a leaf such as : yes (2.0).",
        )
    if schema is not None:
        hint = nearest(found[1], schema.names) or "pass the schema that the tree was grown with."
        fail(number, "splits on a feature that is not in the schema", got=repr(found[1]), hint=hint)
    return found[1], found[2], found[3]


def _value_and_label(
    text: str, attribute: Feature | None, schema: Schema | None
) -> tuple[str, str]:
    """Separate a value and a leaf at a colon; of several colons, one where both are known."""
    cuts = [(text[: end.start()], text[end.end() :].strip()) for end in _VALUE_ENDS.finditer(text)]
    if schema is not None and len(cuts) > 1:
        classes = set(map(str, schema.classes))
        values = set(map(str, attribute.categories)) if attribute else set()
        known = [cut for cut in cuts if cut[1] in classes]
        cuts = [cut for cut in known if cut[0] in values] or known or cuts
    return cuts[-1]


# -------------------------------------------------------------------- branches


def nested(lines: Sequence[Line]) -> Branch:
    """The lines below the lines they belong to."""
    root = Branch(None)
    open_branches = [root]  # by depth
    for line in lines:
        if line.depth > len(open_branches) - 1:
            fail(line.number, "is indented too far", got=f"{line.depth} bars")
        del open_branches[line.depth + 1 :]
        above = open_branches[-1]
        if above.answer is not None or (above.line and above.line.subtree):
            fail(line.number, "is below a branch that already has a leaf")
        branch = Branch(line, answer=line.answer)
        above.below.append(branch)
        open_branches.append(branch)
    return root


def single_answer(text: str) -> Branch | None:
    """Return a tree that is one leaf: its line has a label and no condition."""
    found = _ANSWER.fullmatch(text.strip().removeprefix(":").strip())
    if not found or not found[1] or (_TEST.match(found[1]) and _VALUE_ENDS.search(found[1])):
        return None
    return Branch(None, answer=Answer(found[1], float(found[2]), float(found[3] or 0)))


def _walk(root: Branch) -> Iterator[Branch]:
    pending = [root]
    while pending:
        branch = pending.pop()
        yield branch
        pending.extend(reversed(branch.below))


# -------------------------------------------------------------------- schema


def schema_of(root: Branch, declared: Schema | None) -> Schema:
    """Return the declared schema, or one from the lines, in order of appearance."""
    if declared is not None:
        return _with_values(declared, root)
    values: dict[str, dict[str, None] | None] = {}
    classes: dict[str, None] = {}
    for branch in _walk(root):
        if branch.answer:
            classes[branch.answer.label] = None
        line = branch.line
        if line is None:
            continue
        if line.operator in ("<=", ">"):
            values[line.name] = None
        elif line.operator == "!=":
            fail(
                line.number,
                "excludes a value, so the other values are not known",
                got=f"{line.name} != {line.values[0]}",
                hint="pass schema= with all categories: a Schema, or a .names or .arff file.",
            )
        else:
            known = values.setdefault(line.name, {})
            if known is not None:
                known.update(dict.fromkeys(line.values))
    attributes = tuple(
        Feature(name, "numeric")
        if known is None
        else Feature(name, "categorical", "text", tuple(known))
        for name, known in values.items()
    )
    return Schema(attributes, tuple(classes))


def _with_values(declared: Schema, root: Branch) -> Schema:
    """Return the schema, with values from the lines for features that declare none."""
    open_domains = {a.name for a in declared.features if a.is_categorical and not a.categories}
    if not open_domains:
        return declared
    lines = [branch.line for branch in _walk(root) if branch.line]
    named: dict[str, dict[str, None]] = {name: {} for name in open_domains}
    for line in lines:
        if line.name in open_domains:
            named[line.name].update(dict.fromkeys(line.values))
    attributes = tuple(
        replace(a, categories=tuple(named[a.name])) if a.name in open_domains else a
        for a in declared.features
    )
    return Schema(attributes, declared.classes, declared.target)


# -------------------------------------------------------------------- nodes

Errors = Callable[[Answer, int], float]


def printed_tree(root: Branch, declared: Schema | None, errors: Errors) -> Tree:
    """Build the tree of nested lines; ``errors`` returns the training errors of a leaf.

    The printed tree does not show the classes of the errors, if there are several others: they
    are shared out evenly.
    """
    schema = schema_of(root, declared)
    nodes: list[NodeDescription] = []
    pending = [root]
    for branch in pending:  # level by level: grows while it is gone through
        if branch.answer is not None:
            nodes.append(_leaf(branch, branch.answer, schema, errors))
            continue
        condition, ordered = _condition(branch, schema)
        first = len(pending)
        pending.extend(ordered)
        nodes.append(NodeDescription(condition, tuple(range(first, len(pending)))))
    return build_tree(schema, nodes)


def _leaf(branch: Branch, answer: Answer, schema: Schema, errors: Errors) -> NodeDescription:
    label = _position(answer.label, schema.classes)
    if label is None:
        fail(
            branch.line.number if branch.line else 1,
            "predicts a class that is not in the schema",
            got=repr(answer.label),
            hint=nearest(answer.label, schema.classes),
        )
    wrong = min(errors(answer, len(schema.classes)), answer.weight)
    others = len(schema.classes) - 1
    weights = [wrong / others if others else 0.0] * len(schema.classes)
    weights[label] = answer.weight - wrong if others else answer.weight
    return NodeDescription(class_weights=tuple(weights), label=label)


def _position(text: str, labels: Sequence[Label]) -> int | None:
    return next((i for i, label in enumerate(labels) if str(label) == text), None)


def _condition(branch: Branch, schema: Schema) -> tuple[Condition, list[Branch]]:
    """Return the condition of the lines below a branch, and these lines in branch order."""
    lines = [below.line for below in branch.below if below.line]
    if not lines:
        number = branch.line.number if branch.line else 1
        fail(number, "has neither a leaf nor lines below it")
    for line in lines:
        if line.name != lines[0].name:
            fail(
                line.number,
                "splits on another feature than its sibling branches",
                got=f"{line.name!r} beside {lines[0].name!r} in line {lines[0].number}",
            )
    if len(lines) == 1:
        fail(lines[0].number, "is the only branch of its split", hint="pass all lines of the tree.")
    attribute = schema.position(lines[0].name)
    operators = sorted({line.operator for line in lines})
    if operators in (["<=", ">"], ["!=", "="]) and len(lines) == 2:
        return _two_way(branch, lines, schema.features[attribute], attribute)
    if set(operators) <= {"=", "in"}:
        return _many_way(branch, lines, schema.features[attribute], attribute)
    fail(
        lines[0].number,
        "does not form a split with its sibling branches",
        got=", ".join(f"{line.name} {line.operator} {line.values[0]}" for line in lines),
        hint="both branches of a split are needed.",
    )


def _two_way(
    branch: Branch, lines: Sequence[Line], attribute: Feature, column: int
) -> tuple[Condition, list[Branch]]:
    ordered = sorted(
        branch.below, key=lambda b: b.line is not None and b.line.operator in (">", "!=")
    )
    if lines[0].values != lines[1].values:
        got = f"{lines[0].values[0]} and {lines[1].values[0]}"
        fail(lines[1].number, "splits at another value than its sibling branch", got=got)
    value = lines[0].values[0]
    if "<=" in (lines[0].operator, lines[1].operator):
        if not _DECIMAL.fullmatch(value):
            fail(lines[0].number, "has a threshold that is not a number", got=repr(value))
        return Threshold(column, float(value)), ordered
    return Equals(column, _category(lines[0], value, attribute)), ordered


def _many_way(
    branch: Branch, lines: Sequence[Line], attribute: Feature, column: int
) -> tuple[Condition, list[Branch]]:
    owner: dict[int, int] = {}  # the line of every category
    for place, line in enumerate(lines):
        for value in line.values:
            code = _category(line, value, attribute)
            if code in owner:
                fail(line.number, "names a value that another branch has taken", got=repr(value))
            owner[code] = place
    places = list(dict.fromkeys(owner[code] for code in sorted(owner)))
    ordered = [branch.below[place] for place in places]
    domain = len(attribute.categories)
    if len(owner) == domain == len(lines):
        return Multiway(column, domain), ordered
    groups = tuple(places.index(owner[c]) if c in owner else -1 for c in range(domain))
    return Grouped(column, groups), ordered


def _category(line: Line, value: str, attribute: Feature) -> int:
    code = _position(value, attribute.categories)
    if code is None:
        fail(
            line.number,
            f"has a value that is not a category of {attribute.name!r}",
            got=repr(value),
            hint=nearest(value, attribute.categories) or "pass the schema it was grown with.",
        )
    return code
