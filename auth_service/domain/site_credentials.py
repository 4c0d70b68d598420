"""Credentials of the site itself, by which its pages call tools for whoever is logged in.

Nothing of them is stored: a token is signed for each request, after the session has been checked, and lives for a minute.
"""

from datetime import timedelta
from typing import Final

LIFETIME: Final = timedelta(minutes=1)
CLIENT_ID: Final = "site"
PREFIX: Final = "site:"


def credential_id(account_id: str, member_id: str | None) -> str:
    """Return the id under which calls of an account's pages are counted, of one member if it is an organisation.

    Without an account it is of the examples on the first page, which are never counted.
    """
    return f"{PREFIX}{account_id}:{member_id or ''}"


def account_of(credential: str) -> str | None:
    """Return the account of a credential of the site, None for any other credential."""
    if not credential.startswith(PREFIX):
        return None
    return credential.removeprefix(PREFIX).partition(":")[0]
