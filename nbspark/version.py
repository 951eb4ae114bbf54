"""The version of nbspark, for code and for the files it writes (a zip has no installed metadata)."""

__version__ = "0.1.0"
