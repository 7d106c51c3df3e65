# The public names of this module and where they are defined; lazy.py reads these lines.

from .explain.average import Average as Average
from .explain.estimate import Estimate as Estimate
from .explain.explanation import Explanation as Explanation
from .explain.firing import Firing as Firing
from .explain.firing import OtherRule as OtherRule
from .explain.firing import Unknown as Unknown
from .explain.parts import Counterfactual as Counterfactual
from .explain.parts import NewValue as NewValue
from .explain.parts import Path as Path
from .explain.parts import Step as Step
from .explain.probabilities import ClassProbability as ClassProbability
from .explain.vote import FeatureUse as FeatureUse
from .explain.vote import Trees as Trees
from .explain.vote import Vote as Vote
