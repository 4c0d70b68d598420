"""The Accept header of a browser."""

import re
from typing import Final

_HTML: Final = "text/html"
_OTHERS: Final = ("application/json", "text/event-stream")
_LONGEST_ACCEPT: Final = 1_000
_QUALITY: Final = re.compile(r"q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)")


def prefers_html(accept: str) -> bool:
    """Return whether an Accept header is that of a browser, not of a client of MCP or of JSON.

    A wildcard does not count: programs send it, too.
    """
    qualities: dict[str, float] = {}
    for part in accept[:_LONGEST_ACCEPT].lower().split(","):
        media_type, *parameters = (item.strip() for item in part.split(";"))
        found = (_QUALITY.fullmatch(parameter) for parameter in parameters)
        qualities[media_type] = next((float(match[1]) for match in found if match), 1.0)
    html = qualities.get(_HTML, 0.0)
    return html > 0 and all(qualities.get(other, 0.0) < html for other in _OTHERS)
