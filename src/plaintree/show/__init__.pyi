# The public names of this module and where they are defined; lazy.py reads these lines.

from .explain.explanation import Change as Change
from .explain.explanation import Explanation as Explanation
from .explain.explanation import NewValue as NewValue
from .explain.explanation import Path as Path
from .explain.explanation import Step as Step
from .explain.firing import Firing as Firing
from .explain.firing import Loser as Loser
from .explain.firing import Unknown as Unknown
from .explain.shares import ClassShare as ClassShare
from .explain.vote import Use as Use
from .explain.vote import Vote as Vote
