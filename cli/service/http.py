"""Requests to the service, with errors in one sentence."""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import urlsplit

import httpx2

from cli.service.errors import CallError

_SECONDS: Final = 60.0
_LARGEST: Final = 32 * 1024 * 1024

Sent = tuple[int, Any]
"""The status of a response, and its body from JSON; None where it is none."""


class Http:
    """A client that follows no redirects, as they would take tokens elsewhere."""

    def __init__(self, transport: httpx2.BaseTransport | None = None) -> None:
        self._client = httpx2.Client(timeout=_SECONDS, follow_redirects=False, transport=transport)

    def get(self, url: str) -> Sent:
        """Return the response to a GET.

        Raises:
            CallError: Nobody answered.
        """
        return self._send("GET", url)

    def post_form(self, url: str, fields: Mapping[str, str]) -> Sent:
        """Return the response to a form.

        Raises:
            CallError: Nobody answered.
        """
        return self._send("POST", url, data=dict(fields))

    def post_json(
        self,
        url: str,
        body: object,
        token: str = "",
        headers: Mapping[str, str] = MappingProxyType({}),
    ) -> Sent:
        """Return the response to a JSON body, sent with the token and these header fields.

        Raises:
            CallError: Nobody answered.
        """
        authorization = {"Authorization": f"Bearer {token}"} if token else {}
        return self._send("POST", url, json=body, headers={**headers, **authorization})

    def _send(self, method: str, url: str, **request: Any) -> Sent:
        try:
            with self._client.stream(method, url, **request) as response:
                return response.status_code, _decoded(response)
        except httpx2.HTTPError as error:
            host = urlsplit(url).netloc
            reason = str(error) or type(error).__name__
            raise CallError(f"{host} does not respond: {reason}") from None


def _decoded(response: httpx2.Response) -> Any:
    content = bytearray()
    for part in response.iter_bytes():
        content += part
        if len(content) > _LARGEST:
            raise CallError(f"{response.url.host} sent more than {_LARGEST // 2**20} MiB.")
    try:
        return json.loads(content)
    except ValueError:
        return None
