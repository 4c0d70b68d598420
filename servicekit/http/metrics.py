"""Metrics of a server of HTTP. They belong to the process that serves, so nothing loads them before it does."""

from typing import Final

from prometheus_client import Counter

UNREAD_RESPONSES: Final = Counter(
    "sponsorgraph_http_unread_responses",
    "Connections that were ended because their client did not read its response.",
)
