"""A short list of rules about the tennis table, and rows to try it on."""

from __future__ import annotations

from typing import Any

import pandas as pd

from plaintree.rules.rule import Clause, Rule
from plaintree.rules.rule_list import RuleList
from tests.support.trees import TENNIS_SCHEMA

OUTLOOK, HUMIDITY, WIND = range(3)
SUNNY = Clause(OUTLOOK, allowed=1, offset=2, n_categories=3)
NOT_SUNNY = Clause(OUTLOOK, allowed=0b11, n_categories=3)
STRONG = Clause(WIND, allowed=1, offset=0, n_categories=2)


def rule(label: str, weights: tuple[float, float], *conditions: Clause, **more: Any) -> Rule:
    share = weights[TENNIS_SCHEMA.classes.index(label)] / max(sum(weights), 1)
    return Rule(conditions, label, sum(weights), share, weights, 0, TENNIS_SCHEMA, **more)


RULES = RuleList(
    schema=TENNIS_SCHEMA,
    rules=(
        rule("No", (3, 0), SUNNY, Clause(HUMIDITY, low=70, high=90), accuracy=0.63, number=5),
        rule("Yes", (1, 4), Clause(HUMIDITY, high=80), accuracy=0.546, number=2),
        rule("No", (2, 0), STRONG, NOT_SUNNY, accuracy=0.5, number=4),
    ),
    default="Yes",
    default_weights=(1.0, 3.0),
)

ROWS = pd.DataFrame(
    {
        "outlook": ["Sunny", "Sunny", "Sunny", "Rain", "Rain", None, "Hail", "Sunny"],
        "humidity": [75.0, 70.0, 95.0, 85.0, None, None, 75.0, None],
        "wind": ["Weak", "Weak", "Weak", "Strong", "Strong", "Strong", "Weak", None],
    }
)
