"""Ports of the gateway: `clients`, `storage` and `mcp` implement them, tests have fakes."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import Literal, Protocol, TypeVar

from gateway.authentication.principal import Principal
from gateway.domain.elicitation import InputRequest, Kind, Reply
from gateway.domain.tasks import Task
from shapes.imports import BulkImportStatus, ImportStatus

R = TypeVar("R")

CatalogQuery = Literal[
    "Resolve",
    "SearchSponsors",
    "GetSponsor",
    "GetSponsorStats",
    "ListSponsorVideos",
    "ListSponsorYoutubers",
    "TopSponsors",
    "ListSimilarSponsors",
    "SearchYoutubers",
    "GetYoutuber",
    "ListYoutuberSponsors",
    "GetYoutuberStats",
    "ListYoutuberVideos",
    "ListConflicts",
    "ListProspects",
    "GetYoutuberOutlook",
    "GetVideo",
    "SearchCodes",
    "SearchVideos",
    "ListYoutubersAbout",
    "CompareSponsors",
    "ListTrends",
    "ListSharedSponsors",
    "ListCategories",
    "DescribeDataset",
]


AccountMethod = Literal[
    "ReportSponsorship",
    "ListOwnReports",
    "RunSql",
    "CreateList",
    "AddToList",
    "RemoveFromList",
    "DeleteList",
    "GetList",
    "ListSavedLists",
]


class Catalog(Protocol):
    """Run queries of sponsors, youtubers and sponsorships, and record reports of them."""

    async def query(
        self, name: CatalogQuery, arguments: Mapping[str, object], result_type: type[R]
    ) -> R:
        """Run the query of this name with the arguments by field name; return a `result_type`.

        Raises:
            InvalidInput: The catalog refuses an argument.
            NotFound: An argument names nothing that is known.
            Unavailable: The catalog does not respond in time.
        """
        ...

    async def call_for(
        self,
        account_id: str,
        name: AccountMethod,
        arguments: Mapping[str, object],
        result_type: type[R],
    ) -> R:
        """Call the method of this name for an account, whom its result depends on or who writes by it.

        The same report again returns the same result.

        Raises:
            InvalidInput: The catalog refuses an argument or a statement.
            NotFound: An argument names nothing that is known.
            Conflict: The catalogue says so already, or a name fits several.
            ResourceExhausted: Too many reports of the account wait, its lists are full, or too many statements are under way.
            Unavailable: The catalog does not respond in time.
        """
        ...


ImportMethod = Literal[
    "StartImport",
    "GetImport",
    "ListImports",
    "CancelImport",
    "StartBulkImport",
    "GetBulkImport",
    "CancelBulkImport",
    "FollowChannel",
    "UnfollowChannel",
    "ListFollows",
]


class Imports(Protocol):
    """Start, watch, list and cancel imports of YouTube channels; follow, unfollow and list channels."""

    async def call(
        self, name: ImportMethod, arguments: Mapping[str, object], result_type: type[R]
    ) -> R:
        """Call the method of this name with the arguments by field name; return a `result_type`.

        Raises:
            InvalidInput: The channel is not understood.
            NotFound: There is no such channel or import, or the channel is not followed.
            ResourceExhausted: The account has as many imports under way, or follows as many channels, as it may.
            Unavailable: The import worker or YouTube does not respond.
        """
        ...

    def watch(self, account_id: str, import_id: str) -> AsyncGenerator[ImportStatus]:
        """Yield the import now and at each change, until it has ended."""
        ...

    def watch_bulk(self, account_id: str, bulk_import_id: str) -> AsyncGenerator[BulkImportStatus]:
        """Yield the bulk import now and at each change, until it has ended."""
        ...


AlertMethod = Literal["CreateWatch", "ListWatches", "DeleteWatch", "ListAlerts", "ListAlertIds"]


class Alerts(Protocol):
    """Create, list and delete an account's watches, and list what they were told of."""

    async def call(
        self, name: AlertMethod, arguments: Mapping[str, object], result_type: type[R]
    ) -> R:
        """Call the method of this name with the arguments by field name; return a `result_type`.

        Raises:
            InvalidInput: An argument is refused.
            PermissionDenied: The account's plan has no alerts.
            NotFound: The subject, the channel or the watch is not known.
            Conflict: The subject fits several.
            ResourceExhausted: The account has as many watches as it may have.
            Unavailable: The auth service does not respond.
        """
        ...


class Tasks(Protocol):
    """Read and change tasks. Each method knows the caller's own tasks alone.

    Every one of them raises:
        UnknownTask: There is none of this id, or it is another account's.
        InsufficientScope: The credential does not reach it.
        PlanRequired: The plan does not include it.
        Unavailable: The service that runs the task does not respond.
    """

    async def get(self, principal: Principal, task_id: str) -> Task:
        """Return the task now."""
        ...

    async def cancel(self, principal: Principal, task_id: str) -> None:
        """Request the task to stop; a task that has ended does not change."""
        ...

    async def update(
        self, principal: Principal, task_id: str, replies: Mapping[str, object]
    ) -> None:
        """Pass replies to its requests for input, by key; a reply to no open request is ignored."""
        ...

    def watch(self, principal: Principal, task_id: str) -> AsyncGenerator[Task]:
        """Yield the task now and at each change, until it has ended."""
        ...


class Progress(Protocol):
    """Report the progress of a call to its caller."""

    @property
    def is_wanted(self) -> bool:
        """Return whether the caller wants progress."""
        ...

    def endable(self, end: Callable[[], None]) -> AbstractContextManager[None]:
        """Allow `end` to be called within the block, once, when another caller needs the call's slot."""
        ...

    def report(self, done: float, total: float | None, message: str) -> None:
        """Report progress without waiting; progress that does not increase is left out."""
        ...


class Elicitor(Protocol):
    """Request input from the caller's client, and through it from its user, while a call runs."""

    def supports(self, kind: Kind) -> bool:
        """Return whether the client has declared that it takes requests of this kind."""
        ...

    async def elicit(self, requests: Mapping[str, InputRequest]) -> Mapping[str, Reply]:
        """Return the reply to each request, by the same keys.

        In the stateless versions of the protocol a call without the replies ends here, and starts
        again from its first line once its caller sends them: so request input before doing
        anything that lasts, and give the same request the same key each time.

        Raises:
            InputRequired: The caller has to call again with the replies. Never to be caught.
            ElicitationUnavailable: The client takes no such request, or does not reply to it.
            ResourceExhausted: The account has too many requests open.
        """
        ...


class ReplyChannel(Protocol):
    """Carry the reply of a client to the gateway that waits for it."""

    def waiting(self, address: str) -> AbstractAsyncContextManager[Awaitable[bytes]]:
        """Wait for the first reply to `address`, at whichever gateway it is posted.

        Raises:
            Unavailable: The channel does not respond.
        """
        ...

    async def post(self, address: str, reply_bytes: bytes) -> bool:
        """Send a reply; return false if no gateway waits for it.

        Raises:
            Unavailable: The channel does not respond.
        """
        ...


class IdempotencyStore(Protocol):
    """Store calls by their idempotency keys, for all gateways. Each may raise `Unavailable`."""

    async def claim(self, name: str, owner: bytes, seconds: float) -> bytes | None:
        """Claim `name` for `seconds`; return its owner if it is taken."""
        ...

    async def extend_claim(self, name: str, owner: bytes, seconds: float) -> None:
        """Extend the claim of `owner` on `name` to `seconds` from now, if it still holds."""
        ...

    async def put(self, name: str, value: bytes, seconds: float) -> None:
        """Store the value of `name` for `seconds`, in the place of its owner."""
        ...

    async def remove(self, name: str, owner: bytes) -> None:
        """Release the claim of `owner` on `name`, if it still holds."""
        ...
