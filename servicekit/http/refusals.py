"""Responses of the server itself to requests that it refuses, each the last on its connection."""

from collections.abc import Iterable
from http import HTTPStatus

from uvicorn.protocols.http.httptools_impl import STATUS_LINE

from servicekit.http.exchange import written


def refusal(
    status: HTTPStatus, default_headers: Iterable[tuple[bytes, bytes]], *, is_to_head: bool
) -> bytes:
    """Return a response with a sentence as body.

    Args:
        status: Why the request is refused.
        default_headers: Fields of all responses: `Date` among them (RFC 9110 section 6.6.1).
        is_to_head: Whether the request's method is HEAD, whose responses have no body (RFC 9110 section 9.3.2).
    """
    text = status.description.encode()
    own = b"content-type: text/plain\r\ncontent-length: %d\r\nconnection: close\r\n" % len(text)
    head = STATUS_LINE[status] + written(tuple(default_headers)) + own + b"\r\n"
    return head if is_to_head else head + text
