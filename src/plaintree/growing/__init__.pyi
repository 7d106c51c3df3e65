# The public names of this module and where they are defined; lazy.py reads these lines.

from .candidate_splits import candidates as candidates
from .growing_on import grow_on as grow_on
from .offers import Branch as Branch
from .offers import Candidate as Candidate
from .offers import Candidates as Candidates
from .offers import Thresholds as Thresholds
