"""The channels that an account follows, on the site."""

import contextlib
from dataclasses import dataclass
from typing import Final, Protocol

from auth_service.domain.plans import CHANNEL_IMPORT, Plan
from auth_service.domain.site.account_service import AccountService
from auth_service.domain.site.login_service import Visitor
from servicekit.errors import NotFound, PermissionDenied
from shapes.imports import Follow, FollowPage

_PAGE: Final = 50
_NOTHING: Final = FollowPage((), 0, 0, None, None)


class FollowWorker(Protocol):
    """The port of the import worker; errors are those of its service."""

    async def follow(self, account_id: str, channel: str, plan: Plan) -> Follow: ...

    async def unfollow(self, account_id: str, channel: str, max_followed: int) -> Follow: ...

    async def list(self, account_id: str, limit: int, cursor: str | None) -> FollowPage: ...


@dataclass(frozen=True, slots=True)
class FollowService:
    """Follow and unfollow channels for the visitor's account, and list them. Without a worker, there are none."""

    worker: FollowWorker | None
    account_service: AccountService

    def allowed(self, visitor: Visitor) -> int:
        """Return how many channels the visitor's plan allows."""
        plan = self.account_service.plan(visitor)
        return plan.followed_channels if plan.has(CHANNEL_IMPORT) else 0

    async def follow(self, visitor: Visitor, channel: str) -> Follow:
        """Follow a channel, which is imported first if it never was.

        Raises:
            PermissionDenied: The plan follows no channels, or this installation imports none.
            InvalidInput, NotFound, ResourceExhausted, Unavailable: The import worker refuses it.
        """
        plan = self.account_service.plan(visitor)
        if self.worker is None or not self.allowed(visitor):
            raise PermissionDenied(f"The plan {plan.name} follows no channels.")
        return await self.worker.follow(visitor.subject.account_id, channel, plan)

    async def unfollow(self, visitor: Visitor, channel: str) -> None:
        """End following a channel, on every plan. One that the account does not follow is no error.

        Raises:
            NotFound: This installation imports no channels.
        """
        if self.worker is None:
            raise NotFound("This installation has no channel imports.")
        account_id = visitor.subject.account_id
        with contextlib.suppress(NotFound):
            await self.worker.unfollow(account_id, channel, self.allowed(visitor))

    async def page(self, visitor: Visitor, cursor: str = "", limit: int = _PAGE) -> FollowPage:
        """Return a page of the channels that the visitor's account follows, the newest first."""
        if self.worker is None:
            return _NOTHING
        return await self.worker.list(visitor.subject.account_id, limit, cursor or None)
