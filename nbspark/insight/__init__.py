"""Why a model decides as it does, what it has learned, and how what it sees moves."""
