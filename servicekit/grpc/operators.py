"""The token that operators' calls bring, and the name under which they act."""

import hmac
from typing import Any, Final

from servicekit.errors import PermissionDenied

TOKEN_METADATA: Final = "x-operator-token"  # noqa: S105 - the name of a header
NAME_METADATA: Final = "x-operator-name"
_NAMELESS: Final = "operator"
_MAX_NAME: Final = 100


class OperatorCheck:
    """Admit the calls that bring `token`; none when it is empty."""

    def __init__(self, token: str) -> None:
        self._token = token

    def authorize(self, context: Any) -> str:
        """Return the name of the operator, as the caller states it.

        Raises:
            PermissionDenied: The token is missing or wrong, or none is set here.
        """
        metadata = {key: str(value) for key, value in context.invocation_metadata() or ()}
        token = metadata.get(TOKEN_METADATA, "")
        if not self._token or not hmac.compare_digest(token.encode(), self._token.encode()):
            raise PermissionDenied("Operators' calls need the operators' token.")
        name = metadata.get(NAME_METADATA, "").strip()[:_MAX_NAME]
        return name if name.isprintable() and name else _NAMELESS
