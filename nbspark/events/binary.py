"""Binary: the multinomial on presence; a document counts each of its terms once."""

from __future__ import annotations

from nbspark.events.base import Event, presence, register
from nbspark.events.multinomial import estimate

# Jurafsky and Martin, Speech and Language Processing, 4.4: clip the counts of each document at 1.
register(Event("binary", counts="n_docs", estimate=estimate, frequency=presence))
