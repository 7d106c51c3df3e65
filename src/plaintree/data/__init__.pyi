# The public names of this module and where they are defined; lazy.py reads these lines.

from .dataset import Dataset as Dataset
from .schema import Feature as Feature
from .schema import Schema as Schema
from .training_record import TrainingRecord as TrainingRecord
