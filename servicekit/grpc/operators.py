"""The token that operators' calls bring, the name under which they act, and the reason that they give."""

import hmac
from typing import Any, Final

from servicekit.errors import InvalidInput, PermissionDenied

TOKEN_METADATA: Final = "x-operator-token"  # noqa: S105 - the name of a header
NAME_METADATA: Final = "x-operator-name"
REASON_METADATA: Final = "x-operator-reason-bin"
"""Of UTF-8: metadata of other names are ASCII alone."""

_NAMELESS: Final = "operator"
_MAX_NAME: Final = 100
_MAX_REASON: Final = 500


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


def actor_of(name: str) -> str:
    """Return an operator as audit logs name them."""
    return name if name == _NAMELESS else f"{_NAMELESS} {name}"


def stated_reason(context: Any) -> str:
    """Return the reason that an operator's call gives, "" for none.

    Raises:
        InvalidInput: It is very long, or no line of text.
    """
    metadata: dict[str, bytes] = dict(context.invocation_metadata() or ())
    reason = metadata.get(REASON_METADATA, b"").decode(errors="replace").strip()
    if len(reason) > _MAX_REASON or not reason.isprintable():
        raise InvalidInput(
            f"A reason is one line of at most {_MAX_REASON} characters.",
            details={"field": "reason"},
        )
    return reason
