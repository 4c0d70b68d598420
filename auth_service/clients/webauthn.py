"""Verify passkeys with py_webauthn.

Import this module only where the site has a domain name: the library takes some megabytes.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from webauthn import (
    generate_authentication_options,
    generate_registration_options,
    verify_authentication_response,
    verify_registration_response,
)
from webauthn.helpers import base64url_to_bytes, options_to_json_dict
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from auth_service.domain.passkeys.ports import Assertion, NewCredential
from servicekit.observability import logs

_SITE_NAME: Final = "Sponsorgraph"
_MAX_CHALLENGE_MILLISECONDS: Final = 300_000

log = logs.get(__name__)


@dataclass(frozen=True, slots=True)
class PyWebAuthn:
    """Implement `WebAuthn`. `rp_id` is the site's domain, `origin` its scheme, domain and port."""

    rp_id: str
    origin: str

    def parse(self, text: str) -> Assertion | None:
        try:
            document = json.loads(text)
            response = document["response"]
            client_data = json.loads(base64url_to_bytes(response["clientDataJSON"]))
            return Assertion(
                base64url_to_bytes(document["rawId"]),
                base64url_to_bytes(client_data["challenge"]),
                base64url_to_bytes(response.get("userHandle") or ""),
                document,
            )
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return None

    def registration_options(
        self, account_id: str, email: str, challenge: bytes, known: Sequence[bytes]
    ) -> Mapping[str, Any]:
        options = generate_registration_options(
            rp_id=self.rp_id,
            rp_name=_SITE_NAME,
            user_id=account_id.encode(),
            user_name=email,
            challenge=challenge,
            timeout=_MAX_CHALLENGE_MILLISECONDS,
            authenticator_selection=AuthenticatorSelectionCriteria(
                resident_key=ResidentKeyRequirement.REQUIRED,
                user_verification=UserVerificationRequirement.REQUIRED,
            ),
            exclude_credentials=[PublicKeyCredentialDescriptor(id=key) for key in known],
        )
        return options_to_json_dict(options)

    def login_options(self, challenge: bytes) -> Mapping[str, Any]:
        options = generate_authentication_options(
            rp_id=self.rp_id,
            challenge=challenge,
            timeout=_MAX_CHALLENGE_MILLISECONDS,
            user_verification=UserVerificationRequirement.REQUIRED,
        )
        return options_to_json_dict(options)

    def verify_registration(self, assertion: Assertion) -> NewCredential | None:
        try:
            verified = verify_registration_response(
                credential=dict(assertion.document),
                expected_challenge=assertion.challenge,
                expected_rp_id=self.rp_id,
                expected_origin=self.origin,
                require_user_verification=True,
            )
        except Exception as error:  # noqa: BLE001 - it is a stranger's bytes that the library refuses
            log.info("passkey_not_registered", error=repr(error))
            return None
        return NewCredential(
            verified.credential_id,
            verified.credential_public_key,
            verified.sign_count,
            verified.credential_backed_up,
        )

    def verify_login(self, assertion: Assertion, public_key: bytes) -> int | None:
        try:
            verified = verify_authentication_response(
                credential=dict(assertion.document),
                expected_challenge=assertion.challenge,
                expected_rp_id=self.rp_id,
                expected_origin=self.origin,
                credential_public_key=public_key,
                credential_current_sign_count=0,  # compared where it is stored, for all replicas
                require_user_verification=True,
            )
        except Exception as error:  # noqa: BLE001 - it is a stranger's bytes that the library refuses
            log.info("passkey_refused", error=repr(error))
            return None
        return verified.new_sign_count
