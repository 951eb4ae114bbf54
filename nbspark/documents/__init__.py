"""Labelled documents from files and tables, and the paths of a job checked before anything is read or written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbspark.files.paths import require_apart, require_new

if TYPE_CHECKING:
    from nbspark.documents.read import read_documents

__all__ = ["read_documents", "require_apart", "require_new"]


def __getattr__(name: str) -> Any:
    """Import the reader, which needs pyspark, when it is first used: columns and paths are checked without."""
    if name != "read_documents":
        raise AttributeError(f"module 'nbspark.documents' has no attribute {name!r}")
    import importlib

    return importlib.import_module("nbspark.documents.read").read_documents
