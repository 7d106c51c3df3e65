# The public names of this module and where they are defined; lazy.py reads these lines.

from .gains import gain as gain
from .gains import variance as variance
from .measures import conditional_entropy as conditional_entropy
from .measures import count_trees as count_trees
from .measures import entropy as entropy
from .measures import gain_ratio as gain_ratio
from .measures import gini as gini
from .measures import information_gain as information_gain
