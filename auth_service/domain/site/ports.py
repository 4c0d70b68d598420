"""Storage ports of the site, in addition to those of accounts and keys."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from auth_service.domain.account_access import GrantStore
from auth_service.domain.email_changes.ports import EmailChangeStore
from auth_service.domain.organisations.ports import OrganisationStore
from auth_service.domain.passkeys.ports import PasskeyStore
from auth_service.domain.ports import Store
from auth_service.domain.site.mails import OutboxStore, Purpose
from auth_service.domain.site.sessions import WebSession
from auth_service.domain.two_factor.ports import TwoFactorStore


@dataclass(frozen=True, slots=True)
class ConnectedApp:
    """A client that an account is connected to, over one or more grants."""

    client_id: str
    name: str
    redirect_uris: tuple[str, ...]
    scopes: tuple[str, ...]
    connected_at: datetime
    last_used_at: datetime
    members: tuple[str, ...] = ()
    """Addresses of the members who connected it to an organisation."""


@dataclass(frozen=True, slots=True)
class WaitingDevice:
    """A device that waits for its user's decision."""

    client_id: str
    user_code: str
    scopes: tuple[str, ...]
    resource: str


@dataclass(frozen=True, slots=True)
class PendingConsent:
    """A request that waits for a decision, and the scopes and account that its page shows."""

    parameters: Sequence[tuple[str, str]]
    scopes: tuple[str, ...]
    account_id: str


@dataclass(frozen=True, slots=True)
class ClientReport:
    """A client as an operator sees it."""

    client_id: str
    name: str
    source: str
    grants: int
    created_at: datetime
    last_used_at: datetime | None


@dataclass(frozen=True, slots=True)
class SignUp:
    """A request for an account, which is created when the address is confirmed."""

    sign_up_id: str
    email: str
    password_hash: str
    browser_sha256: bytes
    created_at: datetime
    expires_at: datetime
    following: str = ""
    """The path of this site that the person was on the way to."""


@dataclass(frozen=True, slots=True)
class DeferredWork:
    """Work that is done after the response to its request."""

    work_id: int
    kind: str
    payload: Mapping[str, str]
    attempts: int


class SiteStore(Store, OutboxStore, Protocol):
    """A transaction of the site. Secrets are passed as SHA-256."""

    @property
    def two_factor(self) -> TwoFactorStore: ...

    @property
    def passkeys(self) -> PasskeyStore: ...

    @property
    def organisations(self) -> OrganisationStore: ...

    @property
    def grants(self) -> GrantStore: ...

    @property
    def email_changes(self) -> EmailChangeStore: ...

    async def add_session(self, session: WebSession, secret_sha256: bytes) -> None: ...

    async def session(self, secret_sha256: bytes) -> WebSession | None: ...

    async def touch_session(self, session_id: str, now: datetime) -> None: ...

    async def sessions(self, account_id: str) -> Sequence[WebSession]: ...

    async def end_session(self, account_id: str, session_id: str) -> None:
        """End one of the account's sessions; a session of another account stays."""
        ...

    async def end_other_sessions(self, account_id: str, session_id: str | None) -> None: ...

    async def add_sign_up(self, sign_up: SignUp) -> None: ...

    async def set_sign_up_token(self, sign_up_id: str, token_sha256: bytes) -> None:
        """Set the token that confirms this sign-up, replacing an earlier one."""
        ...

    async def sign_up_of_token(self, token_sha256: bytes, now: datetime) -> SignUp | None:
        """Return the sign-up that this token can still confirm, or None."""
        ...

    async def lock_address(self, email: str) -> None:
        """Lock an address, which may have no account, until the transaction ends."""
        ...

    async def count_sign_up_links(self, email: str, since: datetime) -> int:
        """Count the sign-ups of an address that began since then and have a mailed link."""
        ...

    async def newest_sign_up(
        self, email: str, browser_sha256: bytes, now: datetime
    ) -> SignUp | None:
        """Return the newest confirmable sign-up of an address, preferring those of this browser."""
        ...

    async def newest_sign_up_of_browser(
        self, browser_sha256: bytes, now: datetime
    ) -> SignUp | None:
        """Return the newest confirmable sign-up that began in this browser."""
        ...

    async def end_sign_ups(self, sign_up: SignUp) -> bool:
        """Delete all sign-ups of its address; False when it was no longer among them."""
        ...

    async def defer(self, kind: str, payload: Mapping[str, str], delay: timedelta) -> None:
        """Add work that is due after `delay`."""
        ...

    async def claim_deferred(self) -> DeferredWork | None:
        """Delete and return work that is due; it stays when the transaction fails."""
        ...

    async def postpone_deferred(self, work_id: int, pause: timedelta) -> None: ...

    async def drop_deferred(self, work_id: int) -> None: ...

    async def seconds_to_deferred(self) -> float | None:
        """Return the seconds until more work is due, None when there is none."""
        ...

    async def change_password(self, account_id: str, password_hash: str | None) -> None:
        """Set another password and end mailed reset links, pending logins and changes of address."""
        ...

    async def renew_hash(self, account_id: str, password_hash: str) -> None:
        """Store another hash of the same password."""
        ...

    async def confirm_email(self, account_id: str, now: datetime) -> None: ...

    async def delete_account(self, account_id: str) -> None: ...

    async def add_mail_token(
        self, token_sha256: bytes, account_id: str, purpose: Purpose, expires_at: datetime
    ) -> None:
        """Store a mailed token beside earlier ones, deleting the oldest above a limit."""
        ...

    async def count_mail_tokens(self, account_id: str, purpose: Purpose, now: datetime) -> int:
        """Count the mailed tokens of an account that still work."""
        ...

    async def mail_token_account(
        self, token_sha256: bytes, purpose: Purpose, now: datetime
    ) -> str | None:
        """Return the account of a valid token without consuming it."""
        ...

    async def consume_mail_token(
        self, token_sha256: bytes, purpose: Purpose, now: datetime
    ) -> str | None:
        """Consume a valid token and return its account."""
        ...

    async def add_pending_consent(
        self,
        nonce_sha256: bytes,
        session: WebSession,
        consent: PendingConsent,
        expires_at: datetime,
    ) -> None: ...

    async def redeem_pending_consent(
        self, nonce_sha256: bytes, session: WebSession, now: datetime
    ) -> PendingConsent | None:
        """Consume the request that this very session was shown, and return it."""
        ...

    async def consent_is_remembered(self, account_id: str, fingerprint: str) -> bool: ...

    async def remember_consent(self, account_id: str, fingerprint: str, now: datetime) -> None: ...

    async def apps(self, account_id: str, member_id: str | None = None) -> Sequence[ConnectedApp]:
        """Return the clients of an account, or those that a member connected to it."""
        ...

    async def app_names(self, ids: Collection[str]) -> Mapping[str, str]:
        """Return the names of those that are clients, connected or not, or grants."""
        ...

    async def is_connected(self, account_id: str, client_id: str, now: datetime) -> bool:
        """Return whether the account has an active grant of the client."""
        ...

    async def revoke_app(
        self, account_id: str, client_id: str, now: datetime, member_id: str | None = None
    ) -> Sequence[str]:
        """Revoke a client's grants and all remembered consents, or one member's; return the grants' ids."""
        ...

    async def revoke_all_apps(
        self, account_id: str, now: datetime, member_id: str | None = None
    ) -> Sequence[str]:
        """Revoke all grants and all remembered consents, or one member's; return the grants' ids."""
        ...

    async def revoke_keys(self, account_id: str, now: datetime) -> Sequence[str]:
        """Revoke the active API keys; return their ids."""
        ...

    async def decide_device(
        self,
        user_code: str,
        account_id: str,
        now: datetime,
        *,
        approved: bool,
        scopes: Sequence[str],
        member_id: str | None = None,
    ) -> bool:
        """Approve a waiting device for these scopes, or deny it; False when none has this code."""
        ...

    async def waiting_device(self, user_code: str, now: datetime) -> WaitingDevice | None: ...

    async def client_reports(self, limit: int) -> Sequence[ClientReport]:
        """Return clients with the number of their active grants, most recently used first."""
        ...


class SiteTransactions(Protocol):
    """Open stores; leaving the block commits, an exception rolls back."""

    def __call__(self) -> AbstractAsyncContextManager[SiteStore]: ...
