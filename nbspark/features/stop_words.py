"""A spec that depends on no package's lists, and what is odd about its stop words."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from nbspark.features.occurrences import unmatched_stop_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbspark.spec import Spec

log = logging.getLogger("nbspark")
SHOWN = 20  # stop words in a message


def resolved(spec: Spec) -> Spec:
    """Return the spec that depends on no package's lists, and log the stop words in it that can never match."""
    spec = spec.resolved()
    for feature in spec.features:
        if unmatched := unmatched_stop_words(feature):
            log.warning("%s feature %r: %s", feature.kind, feature.column, never_match(unmatched))
    return spec


def never_match(stop_words: Sequence[str]) -> str:
    """Say of stop words that the tokenizer leaves nothing of them.

    >>> never_match(["...", "!"])
    "2 stop words can never match, because the tokenizer leaves nothing of them: '...', '!'"
    """
    shown = ", ".join(map(repr, stop_words[:SHOWN])) + (", ..." if len(stop_words) > SHOWN else "")
    return f"{len(stop_words)} stop words can never match, because the tokenizer leaves nothing of them: {shown}"
