"""The device flow for terminals without a browser (RFC 8628)."""

# Authlib has no types, so members inherited from its classes are unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

import secrets as random
from typing import Any, Final

from auth_service.domain.oauth import scopes, secrets
from auth_service.domain.oauth.model import Authorization, DeviceAuthorization
from auth_service.oauth._authlib import (
    AccessDeniedError,
    AuthorizationPendingError,
    DeviceAuthorizationEndpoint,
    DeviceCodeGrant,
    ExpiredTokenError,
    InvalidGrantError,
    SlowDownError,
    UnauthorizedClientError,
)
from auth_service.oauth.authorization_code import requested_resource
from auth_service.oauth.server import Server

_ALPHABET: Final = "BCDFGHJKLMNPQRSTVWXZ"
"""No vowels, so that no words appear (RFC 8628 section 6.1)."""


class DeviceEndpoint(DeviceAuthorizationEndpoint):
    """Start the device flow; codes are stored hashed."""

    server: Server

    def create_endpoint_response(self, request: Any) -> Any:
        request.payload.refuse_repeats()
        client = self.authenticate_client(request)
        if not client.check_grant_type(DeviceGrant.GRANT_TYPE):
            raise UnauthorizedClientError("This client may not use the device flow.")
        policy = self.server.policy
        self.EXPIRES_IN = int(policy.device_lifetime.total_seconds())
        self.INTERVAL = int(policy.device_interval.total_seconds())
        return super().create_endpoint_response(request)

    def generate_user_code(self) -> str:
        characters = [random.choice(_ALPHABET) for _ in range(8)]
        return "".join(characters[:4]) + "-" + "".join(characters[4:])

    def get_verification_uri(self) -> str:
        return f"{self.server.policy.issuer}/device"

    def save_device_credential(self, client_id: str, scope: str | None, data: Any) -> None:
        server = self.server
        device = DeviceAuthorization(
            client_id=client_id,
            user_code=data["user_code"],
            scopes=scopes.grantable(scopes.parse(scope)),
            resource=server.policy.resource,
            expires_at=server.now + server.policy.device_lifetime,
        )
        server.store.add_device(secrets.sha256(data["device_code"]), device)


class DeviceGrant(DeviceCodeGrant):
    """Serve the token requests of a polling device."""

    server: Server

    def validate_token_request(self) -> None:
        self.request.payload.refuse_repeats()
        requested_resource(self.server, self.request.payload)
        client = self.authenticate_token_endpoint_client()
        self.device_hash = secrets.sha256(self.request.payload.data.get("device_code", ""))
        server = self.server
        polled = server.store.poll_device(
            self.device_hash, server.now, server.policy.device_interval
        )
        if polled is None or polled[0].client_id != client.get_client_id():
            raise InvalidGrantError("The device code is unknown.")
        device, polls_too_often = polled
        refusal = self._refusal(device, polls_too_often=polls_too_often)
        if refusal is not None:
            raise refusal
        self.request.client, self.device = client, device

    def _refusal(self, device: DeviceAuthorization, *, polls_too_often: bool) -> Exception | None:
        if self.server.now >= device.expires_at:
            return ExpiredTokenError()
        if device.approved is None:
            return SlowDownError() if polls_too_often else AuthorizationPendingError()
        return None if device.approved else AccessDeniedError()

    def create_token_response(self) -> Any:
        server, device = self.server, self.device
        account_id = device.account_id
        if account_id is None or not server.store.account_is_active(account_id, device.member_id):
            raise InvalidGrantError("The account is gone or disabled.")
        if not server.store.finish_device(self.device_hash):
            raise InvalidGrantError("The device code was used before.")
        grant = server.open_grant(
            Authorization(
                device.client_id, account_id, device.scopes, device.resource, device.member_id
            )
        )
        refresh = None
        if self.request.client.check_grant_type("refresh_token"):
            refresh = server.add_first_refresh_token(grant)
        server.store.record_event("token_issued", account_id, grant.grant_id, server.now)
        return 200, server.token_response(grant, device.scopes, refresh), self.TOKEN_RESPONSE_HEADER
