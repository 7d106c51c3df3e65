# The public names of this module and where they are defined; lazy.py reads these lines.

from .derive.solution import Derivation as Derivation
from .derive.steps import Step as Step
from .derive.steps import Steps as Steps
