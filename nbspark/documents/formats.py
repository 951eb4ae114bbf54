"""Which format a path names by its ending."""

from __future__ import annotations

ENDINGS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".txt": "text",
    ".parquet": "parquet",
    ".orc": "orc",
    ".avro": "avro",
}
COMPRESSED = (".gz", ".bz2", ".zst", ".lz4", ".snappy", ".deflate")


def guess_format(path: str) -> str | None:
    """Return the format that the ending of ``path`` names, if it names one.

    >>> guess_format("in/docs.csv.gz"), guess_format("in/*.jsonl"), guess_format("in/")
    ('csv', 'json', None)
    """
    name = name_without_compression(path)
    return next((found for ending, found in ENDINGS.items() if name.endswith(ending)), None)


def name_without_compression(path: str) -> str:
    """Return the last part of ``path`` in small letters, without the endings of compression."""
    name = path.rstrip("/").rpartition("/")[2].lower()
    while name.endswith(COMPRESSED):
        name = name.rpartition(".")[0]
    return name


def separator_of(path: str) -> dict[str, str]:
    r"""Return the separator that the ending of ``path`` names, as an option, if it names one.

    >>> separator_of("in/docs.tsv.gz"), separator_of("in/docs.csv")
    ({'sep': '\t'}, {})
    """
    return {"sep": "\t"} if name_without_compression(path).endswith((".tsv", ".tab")) else {}
