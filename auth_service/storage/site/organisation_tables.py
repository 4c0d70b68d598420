"""Tables of organisations."""

from sqlalchemy import (
    CheckConstraint,
    Column,
    DateTime,
    ForeignKey,
    LargeBinary,
    Table,
    Text,
    UniqueConstraint,
)

from auth_service.storage.tables import metadata

_ROLES = "role IN ('owner', 'member')"

organisations = Table(
    "organisations",
    metadata,
    Column("account_id", Text, ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True),
    Column("name", Text, nullable=False),
)


memberships = Table(
    "memberships",
    metadata,
    Column(
        "organisation_id",
        Text,
        ForeignKey("organisations.account_id", ondelete="CASCADE"),
        primary_key=True,
    ),
    Column(
        "account_id",
        Text,
        ForeignKey("accounts.id", ondelete="CASCADE"),
        primary_key=True,
        index=True,
    ),
    Column("role", Text, nullable=False),
    Column("joined_at", DateTime(timezone=True), nullable=False),
    CheckConstraint(_ROLES, name="memberships_role"),
)

invitations = Table(
    "invitations",
    metadata,
    Column("invitation_id", Text, primary_key=True),
    Column(
        "organisation_id",
        Text,
        ForeignKey("organisations.account_id", ondelete="CASCADE"),
        nullable=False,
    ),
    Column("email", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("token_sha256", LargeBinary, nullable=False, unique=True),
    Column("invited_by", Text, ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("expires_at", DateTime(timezone=True), nullable=False, index=True),
    CheckConstraint(_ROLES, name="invitations_role"),
    UniqueConstraint("organisation_id", "email", name="invitations_address"),
)
