"""Write the bundled table of made loans, `src/plaintree/datasets/loans.csv`.

Applicants are drawn with a fixed seed. Whether a loan defaults follows from a small tree of rules
(`fails`), and then some labels are flipped. The table is for examples, not a source about any
lender. A test compares the file with this program.

- Missing values: with a high debt ratio, a missing income counts like a low one, so it is
  informative. The self-employed often do not state it. Savings are missing at random, the first
  day of a job for those who have none.
- `postcode` has many values and `newsletter` two; neither has anything to do with the rules. A tree
  that splits on the postcode fits its training rows only.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass, fields
from datetime import date, timedelta
from pathlib import Path
from random import Random

TABLE = Path(__file__).parents[1] / "src/plaintree/datasets/loans.csv"
SEED, N_ROWS = 2017, 1200
NOISE = 0.08
"""The fraction of labels that are flipped."""
PURPOSES = ("car", "home", "education", "business", "holiday")
HOUSING = ("rent", "own", "parents")
JOBS = ("permanent", "temporary", "self-employed", "none")
JOB_WEIGHTS = (60, 18, 15, 7)
POSTCODES = 60
FIRST_DAY, DAYS = date(2021, 1, 1), 4 * 365
RATES_ROSE = date(2023, 1, 1)
"""From this day on, loans for a business are riskier."""


@dataclass
class Loan:
    """A line of the table; None is a missing value."""

    applied: date
    purpose: str
    amount: float
    months: int
    age: int
    job: str
    employed_since: date | None
    income: float | None
    debt_ratio: float
    late_payments: int
    savings: float | None
    housing: str
    guarantor: bool
    newsletter: bool
    postcode: str
    defaulted: str = ""


def fails(loan: Loan) -> bool:
    """Whether a loan defaults by the rules, before labels are flipped."""
    if loan.late_payments >= 2:
        return not loan.guarantor
    if loan.debt_ratio > 46:
        return loan.income is None or loan.income < 34
    if loan.purpose == "business":
        return loan.applied >= RATES_ROSE
    return False


def loan(random: Random) -> Loan:
    """An applicant."""
    applied = FIRST_DAY + timedelta(days=random.randrange(DAYS))
    job = random.choices(JOBS, JOB_WEIGHTS)[0]
    since = applied - timedelta(days=round(random.expovariate(1 / 1400)))
    level = {"permanent": 44, "temporary": 33, "self-employed": 41, "none": 19}[job]
    income = round(level * random.lognormvariate(0, 0.35), 1)
    amount = round(random.lognormvariate(2.4, 0.6), 1)
    hides_income = random.random() < (0.3 if job == "self-employed" else 0.06)
    found = Loan(
        applied=applied,
        purpose=random.choices(PURPOSES, (31, 24, 13, 20, 12))[0],
        amount=amount,
        months=12 * random.randint(1, 7),
        age=min(79, 19 + round(random.gammavariate(3, 8))),
        job=job,
        employed_since=None if job == "none" else since,
        income=None if hides_income else income,
        debt_ratio=round(min(95.0, 100 * random.betavariate(2.2, 3.6)), 1),
        late_payments=min(6, int(random.expovariate(0.8))),
        savings=None if random.random() < 0.18 else round(random.lognormvariate(1.6, 0.9), 1),
        housing=random.choices(HOUSING, (48, 37, 15))[0],
        guarantor=random.random() < 0.3,
        newsletter=random.random() < 0.5,
        postcode=f"P{random.randrange(POSTCODES) + 10}",
    )
    flipped = random.random() < NOISE
    found.defaulted = "yes" if fails(found) != flipped else "no"
    return found


def field(value: object) -> str:
    """A value as CSV has it."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def table() -> str:
    """The whole table as CSV."""
    random = Random(SEED)
    header = [column.name for column in fields(Loan)]
    lines = [header, *([*map(field, astuple(loan(random)))] for _ in range(N_ROWS))]
    return "".join(f"{','.join(line)}\n" for line in lines)


if __name__ == "__main__":
    TABLE.write_text(table())
