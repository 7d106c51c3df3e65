"""The fixed part of a model in Python: tables are filled in, the code is fixed."""

from __future__ import annotations

from .writing import with_parts

_SOURCE = '''\
"""A decision tree model, exported by plaintree. Has no dependencies.

$summary
A row is a dict by column names. None and NaN are missing values; dates and times are those of
datetime.
"""

import datetime as _dt

$labels# name, how it is read, unit, whether categories are ordered, cut points
_COLUMNS = [
$features
]
# the code of a category by its string, by its number, and of False and True
_TEXTS = [
$strings
]
_NUMBERS = [
$numbers
]
_BOOLEANS = [
$booleans
]


def _ints(text):
    return [int(word) for word in text.split()]


def _floats(text):
    return [float(word) for word in text.split()]


# kind (1 threshold, 2 a branch per category, 4 categories against others, 5 groups, 6 is missing),
# column, child of missing values (-1: all of them, by weight, -2: the row ends), child of unseen
# categories, codes or the child of every code
_TESTS = [
$tests
]
_THRESHOLDS = _floats("""$thresholds""")
# of every node: its split (-1: leaf, -2: jump), first child or target of the jump, prediction
_TEST = _ints("""$node_test""")
_NEXT = _ints("""$node_next""")
_PREDICTION = _ints("""$node_prediction""")
# of every node where rows are divided: the weight and the number of children
_WEIGHT = _floats("""$node_weight""")
_CHILDREN = _ints("""$node_children""")
# of every prediction: $values
_VALUES = _floats("""$prediction_values""")
# of every tree: its first node, and its vote
_ROOTS = _ints("""$roots""")
_VOTES = _floats("""$votes""")
_TOTAL = $total
_REFUSES_MISSING = $refuses_missing
_REFUSES_UNSEEN = $refuses_unseen
_N = $n_values
_NAN = float("nan")
# of every column: its number, its name, whether its floats are taken as they are
_NAMES = [
    (column, about[0], about[1] == "number" and about[2] in ("number", "integer"))
    for column, about in enumerate(_COLUMNS)
]
_SETS = [frozenset(test[4]) if test[0] == 4 else test[4] for test in _TESTS]


$predictors


def _read_row(row):
    """The values of a row as numbers, in the order of the columns."""
    return [
        value if type(value := row[name]) is float and is_plain and value == value
        else _read(column, value)
        for column, name, is_plain in _NAMES
    ]


def _walk(node, values):
    """The node where the row ends, or ~node if the row is divided there."""
    while True:
        number = _TEST[node]
        if number == -1:
            return node
        branch = 0
        if number >= 0:
            kind, column, missing, unseen, _ = _TESTS[number]
            value = values[column]
            if kind == 1 and value == value:
                branch = 1 if value > _THRESHOLDS[number] else 0
            elif kind == 6:
                branch = 0 if value != value else 1
            elif value != value:
                branch = missing
            elif value < 0:
                branch = unseen
            elif kind == 2:
                branch = int(value)
            elif kind == 4:
                branch = 0 if value in _SETS[number] else 1
            else:
                branch = _SETS[number][int(value)]
                branch = missing if branch < 0 else branch
        if branch < 0:
            return node if branch == -2 else ~node
        node = _NEXT[node] + branch


def _collect(root, values, vote, totals):
    """Add the predictions of all nodes where a part of the row ends."""
    pending = [(root, vote)]
    while pending:
        node, part = pending.pop()
        end = _walk(node, values)
        if end < 0:
            node, end = ~end, -1
            children = range(_NEXT[node], _NEXT[node] + _CHILDREN[node])
            total = 0.0
            for child in children:
                total += _WEIGHT[child]
            if total > 0:
                for child in reversed(children):
                    if _WEIGHT[child] > 0:
                        pending.append((child, part * _WEIGHT[child] / total))
                continue
            end = node
        first = _PREDICTION[end] * _N
        for i in range(_N):
            totals[i] += part * _VALUES[first + i]


def _read(column, value):
    """A value as a number, NaN if it is missing, or -2 if it is an unseen category."""
    name, how, unit, ordered, cuts = _COLUMNS[column]
    if type(value).__name__ in ("datetime64", "timedelta64"):
        value = value.astype("M8[us]" if type(value).__name__ == "datetime64" else "m8[us]").item()
    elif type(value).__module__ == "numpy" and hasattr(value, "item"):
        value = value.item()
    if type(value).__name__ in ("NoneType", "NAType", "NaTType") or value != value:
        if _REFUSES_MISSING:
            raise ValueError("the value of %r is missing" % name)
        return _NAN
    if how == "category":
        code = _category(column, value)
        if code < 0 and _REFUSES_UNSEEN and _TEXTS[column]:
            raise ValueError("%r has a category not seen in training: %r" % (name, value))
        return _NAN if code < 0 and ordered else code
    number = _number(name, unit, value)
    if how == "number" or number != number:
        return number
    code = 0
    while code < len(cuts) and cuts[code] < number:
        code += 1
    return code


def _number(name, unit, value):
    kinds = {"date": _dt.date, "datetime": _dt.date, "time": _dt.time, "duration": _dt.timedelta}
    wanted = kinds.get(unit)
    temporal = isinstance(value, (_dt.date, _dt.time, _dt.timedelta))
    if isinstance(value, (str, bytes)) or (not isinstance(value, wanted) if wanted else temporal):
        raise TypeError("%r is to be %s, not %r" % (name, unit, value))
    return float(_microseconds(value) if wanted else value)


def _microseconds(value):
    micro = _dt.timedelta(microseconds=1)
    if isinstance(value, _dt.datetime):
        if value.tzinfo is None:
            value = value.replace(tzinfo=_dt.timezone.utc)
        return (value - _dt.datetime(1970, 1, 1, tzinfo=_dt.timezone.utc)) // micro
    if isinstance(value, _dt.date):
        return (value - _dt.date(1970, 1, 1)) // micro
    if isinstance(value, _dt.time):
        seconds = (value.hour * 60 + value.minute) * 60 + value.second
        return seconds * 1000000 + value.microsecond
    return value // micro


def _category(column, value):
    if isinstance(value, str):
        return _TEXTS[column].get(str.__str__(value), -2)
    if isinstance(value, bool):
        return _BOOLEANS[column][value]
    if isinstance(value, _dt.datetime):
        value = value.replace(tzinfo=None).isoformat(timespec="microseconds")
    elif isinstance(value, _dt.time):
        value = _dt.timedelta(microseconds=_microseconds(value))
    elif not isinstance(value, (_dt.date, _dt.timedelta)) and hasattr(value, "__float__"):
        return _NUMBERS[column].get(value if isinstance(value, int) else float(value), -2)
    return _TEXTS[column].get(str(value), -2)
'''

OF_CLASSES = with_parts(
    _SOURCE,
    {
        "summary": "predict(row) returns the class of a row, predict_proba(row) the class "
        "probabilities.",
        "labels": "CLASSES = $classes\n\n",
        "values": "the probability of each class",
        "predictors": '''\
_CLASS = _ints("""$prediction_class""")
_VOTING = $voting
# by actual class, the cost of predicting each class; if there are none, errors cost the same
_COSTS = _floats("""$costs""")


def predict(row):
    """The class of a row."""
    return CLASSES[_predicted(row)[0]]


def predict_proba(row):
    """The probability of every class, by label."""
    return dict(zip(CLASSES, _predicted(row)[1]))


def _predicted(row):
    values = _read_row(row)
    if _VOTING == "alone":
        return _predict_tree(_ROOTS[0], values)
    proba = [0.0] * _N
    for root, vote in zip(_ROOTS, _VOTES):
        if _VOTING == "class":
            proba[_predict_tree(root, values)[0]] += vote
        else:
            _collect(root, values, vote, proba)
    proba = [part / _TOTAL for part in proba]
    return proba.index(max(proba)), proba


def _predict_tree(root, values):
    """The class and the probabilities that one tree predicts."""
    end = _walk(root, values)
    if end >= 0:
        prediction = _PREDICTION[end]
        return _CLASS[prediction], _VALUES[prediction * _N : prediction * _N + _N]
    proba = [0.0] * _N
    _collect(root, values, 1.0, proba)
    return _decided(proba), proba


def _decided(proba):
    """The class of a divided row: the most probable one, or that of the least expected cost."""
    if not _COSTS:
        return proba.index(max(proba))
    expected = [0.0] * _N
    for actual in range(_N):
        for i in range(_N):
            expected[i] += proba[actual] * _COSTS[actual * _N + i]
    most = min(expected) + $same_cost
    return next(i for i in range(_N) if expected[i] <= most)''',
    },
)
OF_NUMBERS = with_parts(
    _SOURCE,
    {
        "summary": "predict(row) returns the number that is predicted for a row.",
        "labels": "",
        "values": "the number",
        "predictors": '''\
def predict(row):
    """The predicted number of a row: the mean over the trees."""
    values, totals = _read_row(row), [0.0]
    for root, vote in zip(_ROOTS, _VOTES):
        _collect(root, values, vote, totals)
    return totals[0] / _TOTAL''',
    },
)
"""The source of a model with classes, and of one whose target is numeric."""
