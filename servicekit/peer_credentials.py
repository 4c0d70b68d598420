"""The credentials of a process in calls between services, and its checks of its callers."""

from dataclasses import dataclass, field
from typing import Final

AUTHORIZATION: Final = "authorization"
"""The metadata of a call that brings the token."""


@dataclass(frozen=True, slots=True)
class PeerCredentials:
    """Tokens of the deployment, a folder with a certificate, or both.

    Attributes:
        tokens: The first is sent; each of them is accepted, so that another one can be brought in
            without a gap.
        tls_folder: See `servicekit.grpc.tls`; nothing is encrypted while it is empty.
    """

    tokens: tuple[str, ...] = field(default=(), repr=False)
    tls_folder: str = ""


def bearer(token: str) -> str:
    """Return the value of `AUTHORIZATION` that brings a token."""
    return f"Bearer {token}"
