"""Write the bundled table of made houses, `src/plaintree/datasets/houses.csv`.

The houses are drawn with a fixed seed, and their prices follow from a formula with noise: the
table is for examples, not a source about any market. A test compares the file with this program.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

TABLE = Path(__file__).parents[1] / "src/plaintree/datasets/houses.csv"
SEED, N_ROWS = 1984, 240
HEADER = ("district", "kind", "area", "rooms", "year", "garden", "heating", "price")
PER_SQUARE_METRE = {"centre": 4.3, "harbour": 3.9, "north": 2.9, "hills": 3.4, "mill": 2.3}
"""Thousands per square metre, by district."""
FACTOR = {"flat": 0.95, "terraced": 1.0, "detached": 1.12}
HEATING = {"gas": 0.0, "oil": -12.0, "heat pump": 15.0}
"""Thousands more or less."""
UNKNOWN_HEATING, UNKNOWN_YEAR = 0.1, 0.04


def house(random: Random) -> tuple[str, ...]:
    """A house as fields of a line; a flat has no garden, and some values are missing."""
    district, kind = random.choice([*PER_SQUARE_METRE]), random.choice([*FACTOR])
    area = round(random.triangular(38, 210, 85) * FACTOR[kind])
    rooms = max(1, round(area / 27 + random.uniform(-0.8, 0.8)))
    year = round(random.triangular(1895, 2022, 1972))
    garden = 0 if kind == "flat" else round(random.triangular(20, 900, 120))
    heating = random.choice([*HEATING])
    price = area * PER_SQUARE_METRE[district] * FACTOR[kind]
    price *= 1.2 if year >= 2005 else 1.0 if year >= 1950 else 0.9
    price += HEATING[heating] + 0.05 * garden
    price *= random.gauss(1, 0.07)
    known_heating = heating if random.random() >= UNKNOWN_HEATING else ""
    known_year = str(year) if random.random() >= UNKNOWN_YEAR else ""
    shown_garden = "" if kind == "flat" else str(garden)
    fields = (known_year, shown_garden, known_heating, f"{price:.1f}")
    return district, kind, str(area), str(rooms), *fields


def table() -> str:
    """The whole table as CSV."""
    random = Random(SEED)
    lines = (HEADER, *(house(random) for _ in range(N_ROWS)))
    return "".join(f"{','.join(line)}\n" for line in lines)


if __name__ == "__main__":
    TABLE.write_text(table())
