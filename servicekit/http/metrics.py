"""Metrics of a server of HTTP. They belong to the process that serves, so nothing loads them before it does."""

from http import HTTPStatus
from typing import Final

from prometheus_client import Counter

UNREAD_RESPONSES: Final = Counter(
    "sponsorgraph_http_unread_responses",
    "Connections that were ended because their client did not read its response.",
)

REFUSED_REQUESTS: Final = Counter(
    "sponsorgraph_http_refused_requests",
    "Requests that the server refused by itself: malformed (400), late (408), or with too large a head (431).",
    ["status"],
)


def count_refusal(status: HTTPStatus) -> None:
    """Count a request that was refused with this status."""
    REFUSED_REQUESTS.labels(str(status.value)).inc()
