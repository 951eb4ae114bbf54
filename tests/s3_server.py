"""An S3 on loopback for the tests: moto's, at a free port, with two buckets. No network, no account.

Run as a program: prints its port, and writes a line for each request to the file that it is given. Ends with its
standard input, so that none outlives the tests.
"""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path
from typing import Any

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
from moto.s3.models import s3_backends
from werkzeug.serving import make_server

CARELESS = "careless"  # a bucket of a store that does not know conditional writes


class OneAtATime:
    """S3 as its users see it: of two conditional writes of one name one comes first. moto looks first, then writes."""

    def __init__(self, log: Path) -> None:
        self.app = DomainDispatcherApplication(create_backend_app)
        self.lock = threading.Lock()
        self.log = log.open("a", encoding="utf-8", buffering=1)

    def __call__(self, environ: dict[str, Any], start_response: Any) -> list[bytes]:
        if environ["PATH_INFO"].startswith(f"/{CARELESS}/"):
            environ.pop("HTTP_IF_NONE_MATCH", None)
        with self.lock:
            print(environ["REQUEST_METHOD"], environ["PATH_INFO"], environ["QUERY_STRING"], file=self.log)
            return list(self.app(environ, start_response))


class Quiet(MotoRequestHandler):
    """Log nothing to the terminal."""

    def log_request(self, *_: Any) -> None:
        """Log nothing."""


def main(log: Path) -> None:
    """Serve until standard input ends."""
    server = make_server("127.0.0.1", 0, OneAtATime(log), threaded=True, request_handler=Quiet)
    for bucket in ("lake", CARELESS):
        s3_backends["123456789012"]["aws"].create_bucket(bucket, "us-east-1")
    print(server.port, flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
