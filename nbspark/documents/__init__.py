"""Labelled documents from files and tables, and the paths of a job checked before anything is read or written."""

from nbspark.documents.read import read_documents
from nbspark.files.paths import require_apart, require_new

__all__ = ["read_documents", "require_apart", "require_new"]
