# The public names of this module and where they are defined; lazy.py reads these lines.

from .sampled_trees import PermutationImportance as PermutationImportance
from .single_tree import TreeClassifier as TreeClassifier
from .single_tree import TreeEstimator as TreeEstimator
from .single_tree import TreeRegressor as TreeRegressor
from .tune import MaxFeaturesTuning as MaxFeaturesTuning
