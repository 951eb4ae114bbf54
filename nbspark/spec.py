"""What to learn: the label, the features and the arithmetic, with a TOML and JSON round trip.

The file form is the dataclass, key by key; a feature is a table with its ``kind``::

    label = "topic"
    alpha = 1.0

    [[features]]
    kind = "text"
    column = "body"
"""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

from nbspark.errors import SpecError
from nbspark.features import KINDS, Feature, Numeric, TermFeature
from nbspark.features.checks import (
    Readable,
    replace,
    require_at_least,
    require_at_most,
    require_choice,
    require_known,
    require_types,
)
from nbspark.features.options import LARGEST, SMALLEST, Alpha, require_alpha, require_alpha_of_event

PRIORS = ("documents", "tokens", "uniform", "none")

SMALLEST_TEMPERATURE = 1e-6

SpecT = TypeVar("SpecT", bound="Spec")

# What can be changed on a trained model, because it works on counts.
READ_TIME_OPTIONS = (
    "alpha", "prior", "prior_smoothing", "class_weight", "temperature",
    "temperature_exponent", "class_bias", "event", "norm", "var_smoothing",
    "drop_top", "min_count", "min_docs", "max_docs", "max_terms",
)  # fmt: skip


@dataclass(frozen=True, repr=False)
class Spec(Readable):
    """A naive Bayes model before it has seen a document.

    Parameters
    ----------
    label : str
        The column that holds the class, of any scalar type; it is read as text.
    features : sequence of Feature
        What the model looks at; their scores add.
    alpha : float, dict of str to float, or "maximum_likelihood"
        Pseudo-count of every term in every class; 1.0 is Laplace. A table is per term, 1.0 for terms that it
        does not name. A feature's own alpha goes first.
    prior : {"documents", "tokens", "uniform", "none"} or dict of str to float
        Where the class priors come from: shares of documents, shares of tokens, equal, left out, or given.
    prior_smoothing : float
        Pseudo-count added to each class before the shares are taken.
    weight : str, optional
        A column with a weight >= 0 for each document; weight 2 is the document twice. Null is an error.
    class_weight : "balanced" or dict of str to float, optional
        Multiplies the counts of each class: so that all classes weigh the same, or by a table.
    temperature : float
        Divides the scores before they become probabilities, which above 1 makes these less certain; predictions stay.
        To be fitted on documents that were not learned: ``nbspark.selection.temperature``.
    temperature_exponent : float
        The temperature of a document is ``temperature`` x its known terms to this power: 0 the same for all; towards 1
        a long text is hardly surer than a short one. Fitted with it.
    class_bias : dict of str to float, optional
        Added to each class's score after that, in nats, 0 for classes that it does not name; it can change predictions.

    Examples
    --------
    >>> from nbspark import Text
    >>> spec = Spec(label="topic", features=[Text("body")])
    >>> Spec.from_toml(spec.to_toml()) == spec
    True
    """

    label: str
    features: Sequence[Feature]
    alpha: Alpha = 1.0
    prior: str | dict[str, float] = "documents"
    prior_smoothing: float = 0.0
    weight: str | None = None
    class_weight: str | dict[str, float] | None = None
    temperature: float = 1.0
    temperature_exponent: float = 0.0
    class_bias: dict[str, float] | None = None

    kind: ClassVar[str] = "model"

    def __post_init__(self) -> None:
        """Check every option."""
        require_types(self)
        self._require_features()
        require_alpha(self)
        if isinstance(self.prior, dict):
            total = sum(self.prior.values())
            if any(share < 0 for share in self.prior.values()) or not math.isclose(total, 1.0, abs_tol=1e-9):
                raise SpecError(f"model: a given prior wants shares >= 0 that sum to 1, found {self.prior!r}.")
        else:
            require_choice(self, "prior", PRIORS)
        require_at_least(self, "prior_smoothing", 0)
        require_at_most(self, "prior_smoothing", LARGEST)
        require_at_least(self, "temperature", SMALLEST_TEMPERATURE)
        require_at_most(self, "temperature", 1 / SMALLEST_TEMPERATURE)
        require_at_least(self, "temperature_exponent", 0)
        require_at_most(self, "temperature_exponent", 2)
        if isinstance(self.class_weight, str):
            require_choice(self, "class_weight", ("balanced",))
        elif self.class_weight is not None and not all(
            SMALLEST <= one <= LARGEST for one in self.class_weight.values()
        ):
            raise SpecError(
                f"model: class_weight wants numbers > 0, from {SMALLEST:g} to {LARGEST:g}, found {self.class_weight!r}."
            )

    def _require_features(self) -> None:
        """Check that there are features, each with its own name."""
        object.__setattr__(self, "features", tuple(self.features))
        if not self.features:
            raise SpecError("model: features is empty. Give at least one, for example Text('body').")
        for feature in self.features:
            if not isinstance(feature, tuple(KINDS.values())):
                raise SpecError(f"model: a feature is one of {sorted(KINDS)}, found {feature!r}.")
        names = [feature.name for feature in self.features]
        twice = sorted({str(name) for name in names if names.count(name) > 1})
        if twice:
            raise SpecError(f"model: feature {twice} is named twice. Give each its own name=.")
        for feature in self.term_features:
            require_alpha_of_event(feature, self.alpha_of(feature))

    @property
    def term_features(self) -> list[TermFeature]:
        """The features with a vocabulary, in order."""
        return [feature for feature in self.features if feature.has_terms]

    @property
    def numeric_features(self) -> list[Numeric]:
        """The features with moments, in order."""
        return [feature for feature in self.features if not feature.has_terms]

    def alpha_of(self, feature: TermFeature) -> Alpha:
        """Return the pseudo-counts of a feature: its own, or else the model's."""
        return self.alpha if feature.alpha is None else feature.alpha

    def columns(self) -> list[str]:
        """Return the columns that scoring reads."""
        return list(dict.fromkeys(feature.column for feature in self.features))

    def resolved(self) -> Self:
        """Return the spec that does not depend on any package's lists (stop words by language)."""
        return type(self)(**{**self._fields(), "features": tuple(feature.resolved() for feature in self.features)})

    def to_dict(self) -> dict[str, Any]:
        """Return the file form: plain values, options left at None dropped."""
        features = [{"kind": feature.kind, **_plain(vars(feature))} for feature in self.features]
        return _plain({**self._fields(), "features": features})

    @classmethod
    def from_dict(cls, given: Any, *, where: str = "model") -> Self:
        """Return the spec of a file form.

        Raises
        ------
        SpecError
            An unknown key, a missing one, or a value of the wrong type; the message says where.
        """
        if not isinstance(given, dict):
            raise SpecError(f"{where}: wants a table of keys, found {given!r}.")
        require_known(given, [field.name for field in fields(cls)], where)
        for key in ("label", "features"):
            if key not in given:
                raise SpecError(f"{where}: no key {key!r}; found {sorted(given)}.")
        if not isinstance(given["features"], list):
            raise SpecError(f"{where}: features wants a list of tables, found {given['features']!r}.")
        features = [_feature(one, f"{where}.features[{i}]") for i, one in enumerate(given["features"])]
        return cls(**{**given, "features": tuple(features)})

    def to_toml(self) -> str:
        """Return the spec as TOML."""
        import tomli_w  # here, because executors need no more than numpy, pyarrow and scipy

        return tomli_w.dumps(self.to_dict())

    @classmethod
    def from_toml(cls, text: str, *, where: str = "model") -> Self:
        """Return the spec of a TOML text; an error names the line and column."""
        try:
            return cls.from_dict(tomllib.loads(text), where=where)
        except tomllib.TOMLDecodeError as error:
            raise SpecError(f"{where}: not TOML: {error}.") from error

    def to_json(self) -> str:
        """Return the spec as JSON."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str, *, where: str = "model") -> Self:
        """Return the spec of a JSON text; an error names the line and column."""
        try:
            return cls.from_dict(json.loads(text), where=where)
        except json.JSONDecodeError as error:
            raise SpecError(f"{where}: not JSON: {error}.") from error

    @classmethod
    def from_file(cls, path: str | Path) -> Self:
        """Return the spec of a ``.toml`` or ``.json`` file."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise SpecError(f"spec file {str(path)!r} cannot be read: {error}.") from error
        read = cls.from_json if str(path).endswith(".json") else cls.from_toml
        return read(text, where=str(path))

    def _fields(self) -> dict[str, Any]:
        """Return the fields by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def changed_spec(spec: SpecT, *, feature: str | None = None, **options: Any) -> SpecT:
    """Return a spec with other read-time options: what works on counts, and needs no document.

    Parameters
    ----------
    feature : str, optional
        The feature to change, by its name; else the model, and every feature that has the option.
    **options
        Of ``READ_TIME_OPTIONS``.

    Raises
    ------
    SpecError
        The option is unknown, needs the documents again, or no feature has it.
    """
    require_known(options, list(READ_TIME_OPTIONS), "with_options (others need the documents again)")
    names = [one.name for one in spec.features]
    if feature is not None and feature not in names:
        raise SpecError(f"with_options: no feature {feature!r}; found {names}.")
    of_model = {field.name for field in fields(spec)} if feature is None else set()
    left = set(options) - of_model
    features = []
    unused = set(left)
    for one in spec.features:
        own = {field.name for field in fields(one)} & left if feature in (None, one.name) else set()
        features.append(replace(one, **{name: options[name] for name in own}))
        unused -= own
    if unused:
        asked = "no feature has" if feature is None else f"feature {feature!r} has no"
        raise SpecError(f"with_options: {asked} {sorted(unused)}; features: {names}.")
    of_spec = {name: value for name, value in options.items() if name in of_model}
    return type(spec)(**{**vars(spec), "features": tuple(features), **of_spec})


def _feature(given: Any, where: str) -> Feature:
    """Return the feature of one table of a file."""
    if not isinstance(given, dict) or given.get("kind") not in list(KINDS):  # a dict would want to hash it
        raise SpecError(f"{where}: wants a table with kind = one of {sorted(KINDS)}, found {given!r}.")
    kind = KINDS[given["kind"]]
    options = {key: value for key, value in given.items() if key != "kind"}
    require_known(options, [field.name for field in fields(kind)], where)
    if "column" not in options:
        raise SpecError(f"{where}: no key 'column'; found {sorted(options)}.")
    try:
        return kind(**options)
    except SpecError as error:
        raise SpecError(f"{where}: {error}") from error


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    """Return values as TOML and JSON know them: lists for tuples, nothing for None."""
    return {
        key: list(value) if isinstance(value, tuple) else value for key, value in values.items() if value is not None
    }
