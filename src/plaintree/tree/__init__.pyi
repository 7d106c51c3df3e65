# The public names of this module and where they are defined; lazy.py reads these lines.

from .address import node_at as node_at
from .address import path_of as path_of
from .build import NodeDescription as NodeDescription
from .build import build_tree as build_tree
from .condition import Condition as Condition
from .condition import Equals as Equals
from .condition import Grouped as Grouped
from .condition import Multiway as Multiway
from .condition import NodeKind as NodeKind
from .condition import Subset as Subset
from .condition import Surrogate as Surrogate
from .condition import Threshold as Threshold
from .condition_data import condition_from_data as condition_from_data
from .condition_data import condition_to_data as condition_to_data
from .conventions import Conventions as Conventions
from .difference import TreeDifference as TreeDifference
from .difference import first_difference as first_difference
from .edit import graft as graft
from .edit import relabel as relabel
from .node import Node as Node
from .prediction import NumberRange as NumberRange
from .prediction import Spread as Spread
from .profiles import Profile as Profile
from .refitting import refit as refit
from .to_columns import tree_to_columns as tree_to_columns
from .tree import Tree as Tree
