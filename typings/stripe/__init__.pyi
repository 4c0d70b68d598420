# The part of Stripe's library that this project calls: its own types are 1,650 files, and give objects as partial types.

from collections.abc import Mapping
from typing import Any

enable_telemetry: bool

class StripeError(Exception):
    code: str | None
    request_id: str | None

class AuthenticationError(StripeError): ...
class CardError(StripeError): ...
class InvalidRequestError(StripeError): ...
class PermissionError(StripeError): ...  # noqa: A001 - the library's name
class SignatureVerificationError(StripeError): ...

class HTTPXClient:
    def __init__(self, *, timeout: float) -> None: ...
    async def close_async(self) -> None: ...

class StripeClient:
    v1: Any
    def __init__(
        self,
        api_key: str,
        *,
        base_addresses: Mapping[str, str],
        http_client: HTTPXClient,
        max_network_retries: int,
    ) -> None: ...

class WebhookSignature:
    @classmethod
    def verify_header(
        cls, payload: str, header: str, secret: str, tolerance: int | None = None
    ) -> bool: ...
