"""The rights of owners and members."""

from auth_service.domain.api_keys import ApiKey
from auth_service.domain.organisations.model import owners_only
from auth_service.domain.site.login_service import Visitor


def check_owner(visitor: Visitor) -> None:
    """Refuse a member who is no owner; a person acting for themselves owns their account.

    Raises:
        OwnersOnly: The visitor is a member of the organisation and no owner.
    """
    if not visitor.is_owner:
        raise owners_only()


def may_revoke(visitor: Visitor, key: ApiKey) -> bool:
    """Return whether the visitor may revoke a key: an owner any, a member their own."""
    return visitor.is_owner or key.created_by == visitor.member_id
