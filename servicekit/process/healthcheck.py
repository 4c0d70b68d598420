"""`python -m servicekit.process.healthcheck URL…`: exits with 0 when every URL answers as it should.

`grpc://host:port` has to report SERVING by gRPC's health protocol, `http://…` and `https://…` to answer
with 2xx. It is what container engines run inside an image, which holds no curl.
"""

import http.client
import sys
from typing import Any, Final
from urllib.parse import urlsplit

_SECONDS: Final = 10.0
_USAGE: Final = 2
_CHECK: Final = "/grpc.health.v1.Health/Check"
_SERVING: Final = b"\x08\x01"
"""A HealthCheckResponse whose first field, the status, is SERVING. The request is empty."""


def failure(url: str) -> str | None:
    """Return the failure of `url`, or None."""
    parts = urlsplit(url)
    match parts.scheme:
        case "grpc":
            return _grpc_failure(parts.netloc)
        case "http" | "https":
            return _http_failure(url)
        case _:
            return f"{url}: only grpc, http and https are known"


def _grpc_failure(target: str) -> str | None:
    # Asked every few seconds: nothing is imported that need not be, not even the messages' classes.
    import grpc  # noqa: PLC0415

    opening: Any = grpc.insecure_channel  # without classes of messages it has no full type
    with opening(target) as channel:
        check = channel.unary_unary(_CHECK)
        try:
            reply: bytes = check(b"", timeout=_SECONDS)
        except grpc.RpcError as error:
            status: Any = error
            return f"grpc://{target}: {status.code().name}"
    return None if reply == _SERVING else f"grpc://{target}: does not serve"


def _http_failure(url: str) -> str | None:
    parts = urlsplit(url)
    opening = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = opening(parts.netloc, timeout=_SECONDS)
    try:
        connection.request("GET", parts.path or "/", headers={"Connection": "close"})
        status = connection.getresponse().status
    except (OSError, http.client.HTTPException) as error:
        return f"{url}: {error or type(error).__name__}"
    finally:
        connection.close()
    return None if 200 <= status < 300 else f"{url}: {status}"


def main(urls: list[str]) -> int:
    if not urls:
        sys.stderr.write(f"{__doc__}\n")
        return _USAGE
    failures = [found for url in urls if (found := failure(url)) is not None]
    for found in failures:
        sys.stderr.write(f"{found}\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
