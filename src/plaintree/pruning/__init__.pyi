# The public names of this module and where they are defined; lazy.py reads these lines.

from .cp_table import CpTable as CpTable
from .curves import OverfittingCurve as OverfittingCurve
from .curves import overfitting_curve as overfitting_curve
from .curves import pruning_path as pruning_path
from .mdl import DescriptionLength as DescriptionLength
from .mdl import description_length as description_length
from .methods import prune as prune
from .path import PruningPath as PruningPath
from .path import node_alphas as node_alphas
