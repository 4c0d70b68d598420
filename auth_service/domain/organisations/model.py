"""Organisations, their members and invitations, and the rules for their names."""

import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal, get_args

from servicekit.errors import Conflict, InvalidInput, NotFound, PermissionDenied

Role = Literal["owner", "member"]
ROLES: Final[tuple[Role, ...]] = get_args(Role)

ID_PREFIX: Final = "org_"
INVITATION_LIFETIME: Final = timedelta(days=7)
MAX_MEMBERS: Final = 100
MAX_INVITATIONS: Final = 50
MAX_OWNED: Final = 20
_MAX_NAME: Final = 60
_NOT_IN_NAMES: Final = frozenset('<>"@/\\:;|`{}[]')
"""A name is shown in mails to strangers: it is no address, link or markup."""

_PART_OF_DOMAIN: Final = re.compile(r"\w[.\u3002\uff0e\uff61]\w")
"""The dot of a domain name, which programs for mail make a link."""


class OwnersOnly(PermissionDenied):
    default_reason = "OWNERS_ONLY"


class LastOwner(Conflict):
    default_reason = "LAST_OWNER"


class TooManyOrganisations(Conflict):
    default_reason = "TOO_MANY_ORGANISATIONS"


class OrganisationFull(Conflict):
    default_reason = "ORGANISATION_FULL"


class OrganisationNotFound(NotFound):
    default_reason = "ORGANISATION_NOT_FOUND"


class MemberNotFound(NotFound):
    default_reason = "MEMBER_NOT_FOUND"


class InvitationDead(NotFound):
    default_reason = "INVITATION_DEAD"


class InvitationForAnother(PermissionDenied):
    default_reason = "INVITATION_FOR_ANOTHER"


@dataclass(frozen=True, slots=True)
class Membership:
    """The role of a person in an organisation, as that person sees it."""

    organisation_id: str
    name: str
    role: Role

    @property
    def is_owner(self) -> bool:
        return self.role == "owner"


@dataclass(frozen=True, slots=True)
class Member:
    """A member of an organisation, as its members see them."""

    account_id: str
    email: str
    role: Role
    joined_at: datetime


@dataclass(frozen=True, slots=True)
class Invitation:
    """An invitation of an address. The secret of its link is in the mail only."""

    invitation_id: str
    organisation_id: str
    email: str
    role: Role
    invited_by: str
    created_at: datetime
    expires_at: datetime


def owners_only() -> OwnersOnly:
    """Return the refusal of a member who is no owner."""
    return OwnersOnly("Only owners of the organisation may do this. Ask one of them.")


def no_member() -> OrganisationNotFound:
    """Return the refusal of somebody who is no member, or no member any more."""
    return OrganisationNotFound("You are no member of such an organisation.")


def checked_organisation_name(name: str) -> str:
    """Return an organisation's name with its whitespace collapsed.

    Raises:
        InvalidInput: The name is empty, too long, or has characters of links and markup.
    """
    cleaned = " ".join(name.split())
    is_possible = 0 < len(cleaned) <= _MAX_NAME and not any(
        c in _NOT_IN_NAMES or unicodedata.category(c).startswith("C") for c in cleaned
    )
    if not is_possible or _PART_OF_DOMAIN.search(cleaned):
        raise InvalidInput(
            f"The name of an organisation has 1 to {_MAX_NAME} letters, digits and spaces, and none of "
            '< > " @ / \\ : ; | ` { } [ ], and no dot within a word.',
            details={"field": "name"},
        )
    return cleaned


def checked_role(role: str) -> Role:
    """Return the role of this name.

    Raises:
        InvalidInput: There is no such role.
    """
    for known in ROLES:
        if role == known:
            return known
    raise InvalidInput("A role is owner or member.", details={"field": "role"})
