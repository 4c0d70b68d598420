"""Authlib's classes as `Any`: it ships no types, and the published stubs differ from it.

This package imports Authlib through this module only.
"""

from typing import Any

from authlib.common import urls as _urls
from authlib.oauth2 import base as _base
from authlib.oauth2 import rfc6749 as _rfc6749
from authlib.oauth2 import rfc7009 as _rfc7009
from authlib.oauth2 import rfc7523 as _rfc7523
from authlib.oauth2 import rfc7662 as _rfc7662
from authlib.oauth2 import rfc8628 as _rfc8628
from authlib.oauth2.rfc6749 import grants as _grants

_modules: dict[str, Any] = {
    "urls": _urls,
    "base": _base,
    "6749": _rfc6749,
    "7009": _rfc7009,
    "7523": _rfc7523,
    "7662": _rfc7662,
    "8628": _rfc8628,
    "grants": _grants,
}

add_params_to_uri: Any = _modules["urls"].add_params_to_uri
AuthorizationServer: Any = _modules["6749"].AuthorizationServer
ClientMixin: Any = _modules["6749"].ClientMixin
OAuth2Payload: Any = _modules["6749"].OAuth2Payload
OAuth2Request: Any = _modules["6749"].OAuth2Request
AuthorizationCodeGrant: Any = _modules["grants"].AuthorizationCodeGrant
ClientCredentialsGrant: Any = _modules["grants"].ClientCredentialsGrant
RefreshTokenGrant: Any = _modules["grants"].RefreshTokenGrant
DeviceAuthorizationEndpoint: Any = _modules["8628"].DeviceAuthorizationEndpoint
DeviceCodeGrant: Any = _modules["8628"].DeviceCodeGrant
IntrospectionEndpoint: Any = _modules["7662"].IntrospectionEndpoint
JWTBearerClientAssertion: Any = _modules["7523"].JWTBearerClientAssertion
RevocationEndpoint: Any = _modules["7009"].RevocationEndpoint

OAuth2Error: Any = _modules["base"].OAuth2Error
AccessDeniedError: Any = _modules["6749"].AccessDeniedError
AuthorizationPendingError: Any = _modules["8628"].AuthorizationPendingError
ExpiredTokenError: Any = _modules["8628"].ExpiredTokenError
InvalidClientError: Any = _modules["6749"].InvalidClientError
InvalidGrantError: Any = _modules["6749"].InvalidGrantError
InvalidRequestError: Any = _modules["6749"].InvalidRequestError
InvalidScopeError: Any = _modules["6749"].InvalidScopeError
SlowDownError: Any = _modules["8628"].SlowDownError
UnauthorizedClientError: Any = _modules["6749"].UnauthorizedClientError
