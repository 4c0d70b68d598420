"""Read request bodies of bounded size and of the required content type."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final
from urllib.parse import parse_qsl

from starlette.requests import Request

from servicekit.errors import InvalidInput

MAX_BYTES: Final = 16 * 1024
_MAX_FIELDS: Final = 60
FORM: Final = "application/x-www-form-urlencoded"


async def read(request: Request, content_type: str, max_bytes: int = MAX_BYTES) -> str:
    """Return the body as text.

    Raises:
        InvalidInput: The content type differs, or the body is too long or not UTF-8.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != content_type:
        raise InvalidInput(f"Send the body as {content_type}.", "invalid_request")
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > max_bytes:
            raise InvalidInput(f"The body has more than {max_bytes} bytes.", "invalid_request")
    try:
        return body.decode()
    except UnicodeDecodeError:
        raise InvalidInput("The body is not UTF-8.", "invalid_request") from None


async def form(request: Request, max_bytes: int = MAX_BYTES) -> list[tuple[str, str]]:
    """Return the fields of a form in their order, repeated ones included."""
    text = await read(request, FORM, max_bytes)
    try:
        fields = parse_qsl(text, keep_blank_values=True, max_num_fields=_MAX_FIELDS)
    except ValueError:
        raise InvalidInput("The form has too many fields.", "invalid_request") from None
    check_text(fields)
    return fields


def check_text(fields: Iterable[tuple[str, str]]) -> None:
    """Refuse U+0000, which no form contains and Postgres cannot store.

    Raises:
        InvalidInput: A field contains it.
    """
    if any("\0" in name or "\0" in value for name, value in fields):
        raise InvalidInput("The request has a zero byte in it.", "invalid_request")


async def json_object(request: Request) -> Mapping[str, Any]:
    """Return a JSON object whose texts can be stored: without U+0000 and lone surrogates."""
    text = await read(request, "application/json")
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise InvalidInput("The body is not a JSON object.", "invalid_client_metadata")
    if not all(map(_is_storable, _texts(value))):  # pyright: ignore[reportUnknownArgumentType]
        raise InvalidInput("A text has characters that are none.", "invalid_client_metadata")
    return value  # pyright: ignore[reportUnknownVariableType]


def _is_storable(text: str) -> bool:
    try:
        return b"\0" not in text.encode()
    except UnicodeEncodeError:
        return False


def _texts(value: object) -> Iterator[str]:
    """Yield every text in a JSON value, names included, without recursion on hostile depth."""
    pending: list[Any] = [value]
    while pending:
        value = pending.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            pending += [*value.keys(), *value.values()]  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
        elif isinstance(value, list):
            pending += value  # pyright: ignore[reportUnknownArgumentType]
