# The public names of this module and where they are defined; lazy.py reads these lines.

from .derive.address import Address as Address
from .derive.formula import Formula as Formula
from .derive.formula_book import Formulas as Formulas
from .derive.formula_book import formula_of as formula_of
from .derive.solution import Derivation as Derivation
from .derive.steps import Step as Step
from .derive.steps import Steps as Steps
