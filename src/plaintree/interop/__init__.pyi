# The public names of this module and where they are defined; lazy.py reads these lines.

from .model_file import ModelCard as ModelCard
from .model_file import model_card as model_card
from .verification.verify import Verification as Verification
from .verification.verify import VerificationResult as VerificationResult
