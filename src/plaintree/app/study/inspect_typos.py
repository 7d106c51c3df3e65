"""Warnings about rare categories that are probably misspelt.

A rare category is reported if it is one typing error from a frequent one. Codes such as A1 and A2
also differ in one character, so short strings and differences in a digit are not reported.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from plaintree.data.column import Column
from plaintree.data.doubts import Doubt, listed
from plaintree.data.encode import categories_of
from plaintree.data.words import plain

SHORTEST, LONGEST = 4, 40
"""Lengths of strings that are compared: shorter ones are codes, longer ones are sentences."""
RARE_ROWS, RARE_FRACTION = 3, 0.01
"""A misspelt category has at most so many rows, and at most this fraction of them."""
TIMES_AS_FREQUENT = 20
"""The other category has at least so many times the rows."""


def typo_doubts(columns: Sequence[Column]) -> list[Doubt]:
    """A warning that lists the categories that are probably misspelt, if there are any."""
    found = [
        f"{plain(rare)} in {plain(column.name)} ({n} row{'s' * (n > 1)}), near {plain(frequent)}"
        for column in columns
        if column.kind == "categorical" and column.unit == "text"
        for rare, n, frequent in probable_typos(_counts(column))
    ]
    return [Doubt(f"probably misspelt: {listed(found)}")] if found else []


def _counts(column: Column) -> dict[str, int]:
    codes, labels = categories_of(column)
    counts = np.bincount(codes[codes >= 0], minlength=len(labels)).tolist()
    return dict(zip(map(str, labels), counts, strict=True))


def probable_typos(counts: dict[str, int]) -> Iterator[tuple[str, int, str]]:
    """Yield each category that is probably misspelt, its number of rows, and the right one.

    >>> [*probable_typos({"basic": 150, "bsaic": 1, "plus": 89})]
    [('bsaic', 1, 'basic')]
    """
    most = min(RARE_ROWS, RARE_FRACTION * sum(counts.values()))
    words = {word: n for word, n in counts.items() if n and SHORTEST <= len(word) <= LONGEST}
    near: defaultdict[str, list[str]] = defaultdict(list)
    for word in sorted(words, key=lambda word: (-words[word], word)):
        if words[word] >= TIMES_AS_FREQUENT:
            for shorter in _shortened(word):
                near[shorter].append(word)
    for word, n in words.items():
        if n <= most:
            others = [other for shorter in _shortened(word) for other in near[shorter]]
            others.sort(key=lambda other: (-words[other], other))
            for other in others:
                if words[other] >= TIMES_AS_FREQUENT * n and _one_slip(word, other):
                    yield word, n, other
                    break


def _shortened(word: str) -> set[str]:
    """The word, and the word without one character: words one slip apart have one in common."""
    return {word, *(word[:i] + word[i + 1 :] for i in range(len(word)))}


def _one_slip(a: str, b: str) -> bool:
    """Whether one character, not a digit, was added, left out, replaced or swapped with the next.

    >>> _one_slip("bsaic", "basic"), _one_slip("basc", "basic"), _one_slip("item1", "item2")
    (True, True, False)
    """
    start = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), None)
    start = min(len(a), len(b)) if start is None else start
    rest_a, rest_b = a[start:], b[start:]
    while rest_a and rest_b and rest_a[-1] == rest_b[-1]:
        rest_a, rest_b = rest_a[:-1], rest_b[:-1]
    swapped = len(rest_a) == 2 and rest_a == rest_b[::-1]
    one = max(len(rest_a), len(rest_b)) == 1
    return (swapped or one) and not any(map(str.isdigit, rest_a + rest_b))
