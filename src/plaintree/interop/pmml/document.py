"""PMML documents of models."""

from __future__ import annotations

from typing import Any

from plaintree.data.renaming import ClassNames, FeatureNames
from plaintree.tree.walk import divides

from ..members import Members, members_of
from ..renamed import renamed_model
from ..verification.verify import verify_export
from .divided import write_divided_model
from .fields import Fields
from .markup import Markup
from .rulesets import write_rule_set
from .trees import write_mining_model, write_tree_model
from .verification import write_verification

VERSION = "4.4"


def export_pmml(
    model: object,
    *,
    feature_names: FeatureNames = None,
    class_names: ClassNames = None,
    verify: Any = None,
) -> str:
    """Write a model as PMML 4.4, the XML that scoring engines read.

    A tree becomes a TreeModel, trees that vote a MiningModel, a rule list a RuleSetModel; trees of
    a numeric target that divide rows become a RegressionModel over the fractions of rows. Missing
    values and categories not seen in training are treated as in the model, thresholds are exact,
    and the document has a few rows with their predictions (ModelVerification).

    Parameters
    ----------
    model : estimator, Tree or RuleList
        A fitted estimator, a tree or a rule list.
    feature_names : sequence of str, default=None
        Names of the features in column order, in place of those of the model.
    class_names : sequence of str, default=None
        Labels of the classes in the order of ``classes_``, in place of those of the model.
    verify : table, True, Verification or None, default=None
        If given, the document is run by jpmml-evaluator (which needs Java)
        on the rows of the table and on generated rows, and compared with the model; True uses
        generated rows only. A :class:`~plaintree.interop.Verification` also has the result.
        Rows that a classifier divides over branches are left out, because no available scorer
        divides them as the standard demands.

    Returns
    -------
    str
        The XML.

    Raises
    ------
    ExportError
        If the model cannot be exported, or the export predicts a row differently.

    Examples
    --------
    >>> import plaintree as pt
    >>> from plaintree.interop.pmml import export_pmml
    >>> X, y = pt.datasets.load_tennis()
    >>> text = export_pmml(pt.ID3Classifier().fit(X, y))
    >>> text.splitlines()[1]
    '<PMML xmlns="http://www.dmg.org/PMML-4_4" version="4.4">'
    """
    model = renamed_model(model, feature_names, class_names)
    members = members_of(model)
    fields = Fields.of(members.schema)
    out = Markup()
    out.start("PMML", xmlns="http://www.dmg.org/PMML-4_4", version=VERSION)
    out.start("Header", description="A decision tree model made by plaintree")
    out.empty("Application", name="plaintree")
    out.end()
    fields.write_dictionary(out)
    if not isinstance(members, Members):
        write_rule_set(out, fields, members)
    elif not members.schema.classes and any(map(divides, members.trees)):
        write_divided_model(out, fields, members)
    elif members.voting == "alone":
        write_tree_model(out, fields, members)
    else:
        write_mining_model(out, fields, members)
    write_verification(out, fields, model)
    out.end()
    out.end()
    text = str(out)
    if verify is not None:
        verify_export(model, text, "pmml", verify)
    return text
