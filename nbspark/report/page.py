"""A report as one HTML file: nothing in it is loaded from elsewhere, and no text of the data becomes markup or script.

No pyspark in it.
"""

from __future__ import annotations

import base64
import hashlib
import json
import uuid
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbspark.errors import PathError, SetupError
from nbspark.report import figures, history, svg
from nbspark.report.matrix import confused, matrix
from nbspark.report.mistakes import by_pair
from nbspark.report.numbers import nats, number, share, whole
from nbspark.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nbspark.report.content import Content

TEMPLATES = Path(__file__).with_name("templates")
GENERATOR = '<meta name="generator" content="nbspark'
OPEN_CLASSES = 8  # so many classes have their terms on view
OPEN_PAIRS = 12  # so many pairs have their examples in a list of their own
WORST = 10


def render(content: Content) -> str:
    """Return the page.

    Raises
    ------
    SetupError
        jinja2 is not installed.

    Examples
    --------
    >>> from nbspark.report.content import Content
    >>> "<h1>A &lt;b&gt; report</h1>" in render(Content("A <b> report"))
    True
    """
    require_jinja()
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        autoescape=True,
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"share": share, "number": number, "whole": whole, "nats": nats}
    style, script = ((TEMPLATES / name).read_text(encoding="utf-8") for name in ("report.css", "report.js"))
    # The two texts of ours are named by their hashes: the browser runs and applies nothing else.
    ours = f"style-src '{_hash(style)}'; script-src '{_hash(script)}'"
    policy = f"default-src 'none'; {ours}; base-uri 'none'; form-action 'none'"
    page = environment.get_template("report.html").render(
        content=content,
        version=__version__,
        policy=policy,
        style=svg.Drawing(style),
        script=svg.Drawing(script),
        bar=svg.bar,
        key=svg.key,
        **_parts(content),
    )
    return page + "\n"


def require_jinja() -> None:
    """Raise unless pages can be made."""
    try:
        import jinja2  # noqa: F401
    except ImportError as error:
        raise SetupError("an HTML report needs the package jinja2: pip install 'nbspark[report]'.") from error


def require_place(path: str) -> None:
    """Raise unless a page can be written: nothing is there, or an older page of ours.

    Raises
    ------
    PathError
        Something else is there.
    """
    file = Path(path)
    if file.is_dir():
        raise PathError(f"output {path!r} is a folder. Name a file, for example report.html.")
    if file.exists():
        with file.open("rb") as opened:
            if GENERATOR.encode() not in opened.read(2000):
                raise PathError(f"output {path!r} exists and is no report of nbspark. Name another file, or remove it.")


def write(path: str, content: Content) -> None:
    """Write the page, whole or not at all; an older page of ours is replaced."""
    require_place(path)
    page, file = render(content), Path(path)
    temporary = file.with_name(f".{file.name}.{uuid.uuid4().hex}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        # A half of a surrogate pair, which a term may hold, is no UTF-8: it is shown as what cannot be read.
        temporary.write_bytes(page.encode("utf-8", "replace"))
        temporary.replace(file)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise PathError(f"{path} cannot be written: {error.strerror}.") from error


def _parts(content: Content) -> dict[str, Any]:
    """Return what the template shows, part by part."""
    evaluation = content.evaluation
    pairs = list(by_pair(content.mistakes).items())
    links = {pair: f"pair-{number}" for number, (pair, _) in enumerate(pairs, start=1)}
    found: dict[str, Any] = {
        "headline": figures.headline(evaluation) if evaluation else [],
        "metrics": figures.every(evaluation) if evaluation else [],
        "matrix": matrix(evaluation, links) if evaluation else None,
        "confused": confused(evaluation) if evaluation else [],
        "links": links,
        "reliability": figures.reliability(evaluation, content.raw) if evaluation else None,
        "coverage": figures.coverage(evaluation) if evaluation else None,
        "pairs": pairs,
        "worst": [one for _, some in pairs for one in some],
        "terms": terms_by_class(content.top_terms),
        "tuning": history.tuning(content.tuning) if content.tuning else None,
        "drift": history.drift(content.drift) if content.drift else [],
        "timeline": history.timeline(content.versions),
        "most_versions": history.MOST_VERSIONS,
        "open_classes": OPEN_CLASSES,
        "open_pairs": OPEN_PAIRS,
        "spec": json.dumps(content.spec, indent=2, ensure_ascii=False) if content.spec else "",
    }
    found["worst"] = sorted(found["worst"], key=lambda one: -_margin(one.mistake.explanation))[:WORST]
    return found


def terms_by_class(rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, str, list[tuple[Mapping[str, Any], float]]]]:
    """Return label, feature and the terms of each, with the share that each score has of the label's best one.

    >>> rows = [{"label": "a", "feature": "body", "score": 4.0}, {"label": "a", "feature": "body", "score": 1.0}]
    >>> [(label, feature, [part for _, part in own]) for label, feature, own in terms_by_class(rows)]
    [('a', 'body', [1.0, 0.25])]
    """
    out = []
    for (label, feature), group in groupby(rows, key=lambda row: (row["label"], row["feature"])):
        own = list(group)
        most = max((abs(row["score"]) for row in own), default=0.0) or 1.0
        out.append((label, feature, [(row, max(row["score"], 0.0) / most) for row in own]))
    return out


def _margin(explanation: Mapping[str, Any] | None) -> float:
    """Return how far a wrong class was above the true one."""
    return 0.0 if explanation is None else float(explanation["difference"])


def _hash(text: str) -> str:
    """Return what a content security policy calls a text."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
