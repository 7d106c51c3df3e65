# The public names of this module and where they are defined; lazy.py reads these lines.

from .explain.explanation import Counterfactual as Counterfactual
from .explain.explanation import Explanation as Explanation
from .explain.explanation import NewValue as NewValue
from .explain.explanation import Path as Path
from .explain.explanation import Step as Step
from .explain.firing import Firing as Firing
from .explain.firing import OtherRule as OtherRule
from .explain.firing import Unknown as Unknown
from .explain.probabilities import ClassProbability as ClassProbability
from .explain.vote import FeatureUse as FeatureUse
from .explain.vote import Vote as Vote
