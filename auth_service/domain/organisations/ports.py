"""Storage of organisations, in the transaction of its store."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Protocol

from auth_service.domain.organisations.model import Invitation, Member, Membership, Role
from shapes.auth.auth import CredentialUsage


class OrganisationStore(Protocol):
    """Organisations, memberships and invitations. Secrets are passed as SHA-256."""

    async def add(self, organisation_id: str, name: str) -> None:
        """Make an account an organisation."""
        ...

    async def rename(self, organisation_id: str, name: str) -> None: ...

    async def names(self, account_ids: Sequence[str]) -> Mapping[str, str]:
        """Return the names of those accounts that are organisations, by account id."""
        ...

    async def memberships(self, account_id: str) -> Sequence[Membership]:
        """Return a person's memberships, ordered by the organisations' names."""
        ...

    async def membership(self, organisation_id: str, account_id: str) -> Membership | None: ...

    async def members(self, organisation_id: str) -> Sequence[Member]:
        """Return the members, owners first, then by address."""
        ...

    async def add_member(
        self, organisation_id: str, account_id: str, role: Role, now: datetime
    ) -> None: ...

    async def change_role(self, organisation_id: str, account_id: str, role: Role) -> None: ...

    async def end_connections(
        self, account_id: str, now: datetime, organisation_id: str | None = None
    ) -> Sequence[tuple[str, str]]:
        """Revoke what a person has connected for organisations, or for one of them.

        Returns the organisation and id of each revoked grant.
        """
        ...

    async def end_membership(self, organisation_id: str, account_id: str) -> None:
        """Delete a membership with the member's invitations, sessions for it and remembered consents."""
        ...

    async def withdraw_invitations(
        self, organisation_id: str, *, invited_by: str, email: str = ""
    ) -> None:
        """Delete the invitations that a person has made, and those of an address."""
        ...

    async def add_invitation(self, invitation: Invitation, token_sha256: bytes) -> None:
        """Store an invitation, replacing an earlier one of the same address."""
        ...

    async def invitations(self, organisation_id: str, now: datetime) -> Sequence[Invitation]:
        """Return the invitations that can be accepted, newest first."""
        ...

    async def invitation(self, token_sha256: bytes, now: datetime) -> Invitation | None:
        """Return the invitation of a link while it can be accepted."""
        ...

    async def delete_invitation(self, organisation_id: str, invitation_id: str) -> bool:
        """Delete an invitation of this organisation; False when there is none."""
        ...

    async def act_for(self, session_id: str, organisation_id: str | None) -> None:
        """Let a session act for an organisation, or for its person when None."""
        ...

    async def usage_by_credential(
        self, organisation_id: str, first: date, following: date
    ) -> Sequence[CredentialUsage]:
        """Return requests between two days by key and connection, the largest first."""
        ...
