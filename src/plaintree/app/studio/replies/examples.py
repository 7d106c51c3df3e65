"""The bundled tables that the studio offers, and what each teaches."""

from __future__ import annotations

EXAMPLES: dict[str, str] = {
    "golf": "Categories and numbers: where a threshold comes from.",
    "tennis": "Categories only: the information gain of a split, by hand.",
    "flu": "A small table with gain and gain ratio.",
    "emails": "Features that are 0 or 1: which one is asked first?",
    "lisbon_signs": "An exercise with ties: two columns may be equally good.",
    "lisbon_letters": "An exercise with four classes.",
    "and": "A truth table: one split after the other.",
    "or": "A truth table: a split that decides at once.",
    "xor": "No split gains anything at the root, and the tree needs both.",
    "or_and": "Three variables: why trees repeat a part of themselves.",
    "loans": "Missing values, noise and text: pruning, and honest measures of quality.",
    "houses": "A numeric target, with missing values and text columns.",
}
"""By name, those most used first."""
