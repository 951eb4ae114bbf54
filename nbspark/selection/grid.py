"""The settings that are tried: every combination of the read-time options of a grid. No pyspark in it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

from nbspark.errors import SpecError
from nbspark.features.checks import require_known
from nbspark.spec import READ_TIME_OPTIONS, Spec, changed_spec

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MOST_SETTINGS = 2_000
NO_VALUE = ("class_weight", "min_docs", "max_docs", "max_terms")  # options that "none" leaves out


@dataclass(frozen=True)
class Setting:
    """One way to read some counts.

    Attributes
    ----------
    base : int
        Which of the specs that were counted.
    options : dict of str to Any
        What of it is changed.
    spec : Spec
        The spec so changed.
    """

    base: int
    options: dict[str, Any]
    spec: Spec


def settings_of(specs: Sequence[Spec], grid: Mapping[str, Sequence[Any]]) -> list[Setting]:
    """Return every combination of a grid for every spec, those that contradict themselves left out.

    Parameters
    ----------
    grid : mapping of str to sequence
        Values of ``READ_TIME_OPTIONS``; the spec as it is where there is none.

    Raises
    ------
    SpecError
        An option is unknown, or a value of it goes with none of the others.

    Examples
    --------
    >>> from nbspark import Text
    >>> spec = Spec("topic", [Text("body")])
    >>> grid = {"event": ["multinomial", "complement"], "norm": [False, True]}
    >>> [tuple(one.options.values()) for one in settings_of([spec], grid)]  # the multinomial has no norm
    [('multinomial', False), ('complement', False), ('complement', True)]
    """
    require_known(grid, list(READ_TIME_OPTIONS), "grid (other options need the documents again: give several specs)")
    for name, values in grid.items():
        if not isinstance(values, list | tuple) or not values:
            raise SpecError(f"grid: {name} wants a list of values, found {values!r}.")
    settings: list[Setting] = []
    errors: dict[str, str] = {}  # by value of an option
    for base, values in product(range(len(specs)), product(*grid.values())):
        options = dict(zip(grid, values, strict=True))
        try:
            settings.append(Setting(base, options, changed_spec(specs[base], **options)))
        except SpecError as error:
            errors = dict.fromkeys(_told(options), str(error)) | errors
    useless = [one for one in errors if one not in {told for setting in settings for told in _told(setting.options)}]
    if useless:
        raise SpecError(f"grid: {useless[0]} goes with nothing else in it: {errors[useless[0]]}")
    if len(settings) > MOST_SETTINGS:
        raise SpecError(f"grid: {len(settings):,} settings; at most {MOST_SETTINGS:,} are tried. Leave values out.")
    return settings


def _told(options: Mapping[str, Any]) -> list[str]:
    """Return options with their values."""
    return [f"{name}={value!r}" for name, value in options.items()]


def grid_value(name: str, text: str) -> Any:
    """Return a value of an option as it is written on a command line.

    >>> [grid_value("min_docs", one) for one in ("2", "0.01", "none")], grid_value("norm", "true")
    ([2, 0.01, None], True)
    >>> grid_value("prior", "none"), grid_value("alpha", "1e-3")
    ('none', 0.001)
    """
    if text == "none" and name in NO_VALUE:
        return None
    if text in ("true", "false"):
        return text == "true"
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text
