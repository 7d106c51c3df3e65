# The public names of this module and where they are defined; lazy.py reads these lines.

from .compare import ModelDifference as ModelDifference
from .compare import RowDifference as RowDifference
from .compare import diff as diff
from .compare import rows_predicted_differently as rows_predicted_differently
from .cross_validation import CrossValidation as CrossValidation
from .cross_validation import cross_validate as cross_validate
from .metrics import Metric as Metric
from .quality import NumericQuality as NumericQuality
from .quality import Quality as Quality
