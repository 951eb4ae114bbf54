"""Read-time options of a version: what of a spec it reads otherwise than spec.json says, in the spec's file form.

``{"alpha": 0.1, "features": {"body": {"event": "complement"}}}`` changes the model's alpha and one feature's event.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbspark.errors import SpecError, StoreError
from nbspark.features.checks import replace, require_known
from nbspark.spec import READ_TIME_OPTIONS, Spec, changed_spec

if TYPE_CHECKING:
    from collections.abc import Mapping

FEATURES = "features"


def options_between(spec: Spec, changed: Spec) -> dict[str, Any]:
    """Return the options by which a spec differs from another of the same features.

    Examples
    --------
    >>> from nbspark import Text
    >>> spec = Spec("topic", [Text("body")])
    >>> options = options_between(spec, changed_spec(spec, alpha=0.1, event="complement"))
    >>> options["features"]["body"]["event"]
    'complement'
    >>> under_options(spec, options) == changed_spec(spec, alpha=0.1, event="complement")
    True
    """
    one, other = spec.to_dict(), changed.to_dict()
    features = {
        str(feature.name): found
        for feature, before, after in zip(spec.features, one.pop(FEATURES), other.pop(FEATURES), strict=True)
        if (found := _differences(before, after))
    }
    return {**_differences(one, other), **({FEATURES: features} if features else {})}


def under_options(spec: Spec, options: Mapping[str, Any], *, where: str = "options") -> Spec:
    """Return a spec under a version's options.

    Raises
    ------
    StoreError
        They are no read-time options of the spec.
    """
    try:
        for name, own in options.get(FEATURES, {}).items():
            spec = changed_spec(spec, feature=name, **own)
        given = {name: value for name, value in options.items() if name != FEATURES}
        require_known(given, list(READ_TIME_OPTIONS), "of the model")
        return replace(spec, **given)
    except (SpecError, TypeError, AttributeError) as error:
        raise StoreError(f"{where}: {error} The file is damaged, or a newer nbspark wrote it.") from error


def _differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """Return what one table has otherwise than another; None for what only the other has."""
    return {key: after.get(key) for key in {**before, **after} if before.get(key) != after.get(key)}
