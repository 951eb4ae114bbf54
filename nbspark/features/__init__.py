"""What a model looks at: one frozen dataclass per kind of feature, every option of it in the open.

A feature names a column and says how a value becomes evidence. Its options are checked when it is made, so
that a wrong one is an error on the driver, before any document is read.
"""

from nbspark.features.columns import Categorical, Numeric, Terms
from nbspark.features.text import Text

TermFeature = Text | Categorical | Terms  # has a vocabulary: ``has_terms``
Feature = TermFeature | Numeric
KINDS: dict[str, type[Text] | type[Categorical] | type[Numeric] | type[Terms]] = {
    kind.kind: kind for kind in (Text, Categorical, Numeric, Terms)
}

__all__ = ["KINDS", "Categorical", "Feature", "Numeric", "TermFeature", "Terms", "Text"]
