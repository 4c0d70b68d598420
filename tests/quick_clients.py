"""Save what each of the thousands of HTTP clients of tests would load or look for anew.

A client loads the authorities' certificates (some 20 ms of CPU), though most tests speak plain HTTP,
and each request looks for a package that is not installed.
"""

import functools
import sys
from typing import Any

import httpx2
from httpx2._transports import default


def install() -> None:
    """Share one TLS context among the clients that bring none, and remember the missing package."""
    load = httpx2.create_ssl_context
    shared = functools.cache(load)

    def context(verify: Any, cert: Any, trust_env: bool) -> Any:  # noqa: FBT001 - as httpx2 calls it
        return shared() if verify is True and cert is None else load(verify, cert, trust_env)

    default.create_ssl_context = context  # pyright: ignore[reportPrivateImportUsage]
    modules: dict[str, Any] = sys.modules
    modules.setdefault("sniffio", None)
