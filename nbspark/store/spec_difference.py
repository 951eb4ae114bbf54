"""In what two specs differ, for a message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbspark.errors import SpecError
from nbspark.spec import READ_TIME_OPTIONS
from nbspark.store.plain import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nbspark.spec import Spec
    from nbspark.store.reading import StoredModel


def require_spec(store: StoredModel, asked: Spec) -> None:
    """Raise unless a model learns what is asked for.

    Raises
    ------
    SpecError
        It learns something else; the message lists every difference.
    """
    ours, theirs = asked.resolved().to_dict(), store.read_spec().to_dict()
    keys, told = _differences(theirs, ours)
    if told:
        todo = (
            "These can be set: nbspark set."
            if keys <= set(READ_TIME_OPTIONS)
            else "What is learned is the model's for good: leave the spec as it is, or train another model."
        )
        raise SpecError(f"model {store.root}: the spec differs from the model's: {'; '.join(told)}. {todo}")


def _differences(theirs: Mapping[str, Any], ours: Mapping[str, Any]) -> tuple[set[str], list[str]]:
    """Return the keys in which the file forms of two specs differ, and a text for each."""
    keys: set[str] = set()
    told: list[str] = []
    features, wanted = theirs["features"], ours["features"]
    pairs: list[tuple[str, Mapping[str, Any], Mapping[str, Any]]] = [("", theirs, ours)]
    if len(features) != len(wanted) or [one["kind"] for one in features] != [one["kind"] for one in wanted]:
        names = [[f"{one['kind']} {one['column']}" for one in each] for each in (wanted, features)]
        keys.add("features")
        told.append(f"features {shown(names[0])}, not {shown(names[1])}")
    else:
        pairs += [(f"{one['column']}: ", one, other) for one, other in zip(features, wanted, strict=True)]
    for where, their, our in pairs:
        for key in {**their, **our}:
            if key != "features" and their.get(key) != our.get(key):
                keys.add(key)
                told.append(f"{where}{key} {_value(our.get(key))}, not {_value(their.get(key))}")
    return keys, told


def _value(value: Any) -> str:
    """Return an option for a message; what is not given is its default."""
    return "as if not given" if value is None else shown(value)
