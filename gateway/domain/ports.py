"""What the gateway needs from outside; `clients` and `storage` have it, tests have fakes."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import Literal, Protocol, TypeVar

from gateway.authentication.principal import Principal
from gateway.domain.elicitation import Kind, Question, Reply
from gateway.domain.tasks import Task
from shapes.imports import ImportStatus

A = TypeVar("A")

CatalogQuery = Literal[
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
    "ListProspects",
    "ListCategories",
]


class Catalog(Protocol):
    """Answers questions about sponsors, youtubers and sponsorships, and takes reports of them."""

    async def ask(
        self, question: CatalogQuery, arguments: Mapping[str, object], answer: type[A]
    ) -> A:
        """Asks the catalog's `question` with the arguments by field name; gives an `answer`.

        Raises:
            InvalidInput: The catalog refuses an argument.
            NotFound: An argument names nothing that is known.
            Unavailable: The catalog does not answer in time.
        """
        ...

    async def report(self, account_id: str, arguments: Mapping[str, object], answer: type[A]) -> A:
        """Keeps what an account says of a sponsorship; the same again is answered with the same.

        Never answered from memory: unlike a question it writes.

        Raises:
            InvalidInput: The catalog refuses an argument.
            NotFound: An argument names nothing that is known.
            Conflict: The catalogue says so already, or a name fits several.
            ResourceExhausted: Too many reports of the account wait for review.
            Unavailable: The catalog does not answer in time.
        """
        ...


ImportQuery = Literal["StartImport", "GetImport", "ListImports", "CancelImport"]


class Imports(Protocol):
    """Imports YouTube channels."""

    async def ask(
        self, question: ImportQuery, arguments: Mapping[str, object], answer: type[A]
    ) -> A:
        """Asks the import worker's `question`, as `Catalog.ask` does.

        Raises:
            InvalidInput: The channel is not understood.
            NotFound: There is no such channel or import.
            ResourceExhausted: The account has as many imports under way as it may have.
            Unavailable: The import worker or YouTube does not answer.
        """
        ...

    def watch(self, account_id: str, import_id: str) -> AsyncGenerator[ImportStatus]:
        """The import now and at each change, until it has ended."""
        ...


class Tasks(Protocol):
    """Follows what was started as a task. Each method knows the caller's own tasks alone.

    Every one of them raises:
        UnknownTask: There is none of this id, or it is another account's.
        InsufficientScope: The credential does not reach it.
        PlanRequired: The plan does not include it.
        Unavailable: Who does the work does not answer.
    """

    async def get(self, principal: Principal, task_id: str) -> Task:
        """The task now."""
        ...

    async def cancel(self, principal: Principal, task_id: str) -> None:
        """Asks it to stop; of one that has ended nothing changes."""
        ...

    async def update(
        self, principal: Principal, task_id: str, replies: Mapping[str, object]
    ) -> None:
        """Hands replies to its questions, by their keys; one to no open question is ignored."""
        ...

    def watch(self, principal: Principal, task_id: str) -> AsyncGenerator[Task]:
        """The task now and at each change, until it has ended."""
        ...


class Progress(Protocol):
    """Tells a waiting caller how far a call has come."""

    @property
    def is_wanted(self) -> bool:
        """Whether the caller asked to be told."""
        ...

    def endable(self, end: Callable[[], None]) -> AbstractContextManager[None]:
        """Lets `end` be called within the block, once, when another caller needs the call's place."""
        ...

    def tell(self, done: float, total: float | None, message: str) -> None:
        """Never waits; what is not ahead of what was told before is left out."""
        ...


class Elicitor(Protocol):
    """Asks the caller's program, and through it the person before it, while a call is answered."""

    def supports(self, kind: Kind) -> bool:
        """Whether the client has declared that it takes questions of this kind."""
        ...

    async def ask(self, questions: Mapping[str, Question]) -> Mapping[str, Reply]:
        """The reply to each question, by the same keys.

        In the modern era a call without the replies ends here, and begins again from its first line
        once its caller has brought them: so ask before doing anything that lasts, and give the
        same question the same key each time.

        Raises:
            InputRequired: The caller has to call again with the replies. Never to be caught.
            CannotAsk: The client takes no such question, or does not answer it.
            ResourceExhausted: The account has too many questions open.
        """
        ...


class ReplyChannel(Protocol):
    """Takes what a client sends in answer to a question to the gateway that waits for it."""

    def waiting(self, address: str) -> AbstractAsyncContextManager[Awaitable[bytes]]:
        """Lets letters to `address` in, wherever they are posted; gives the first one.

        Raises:
            Unavailable: The mailbox does not answer.
        """
        ...

    async def post(self, address: str, reply_bytes: bytes) -> bool:
        """Sends a letter; false when nobody waits for it.

        Raises:
            Unavailable: The mailbox does not answer.
        """
        ...


class IdempotencyStore(Protocol):
    """Remembers calls by their idempotency keys, for all gateways. Each may raise `Unavailable`."""

    async def claim(self, name: str, owner: bytes, seconds: float) -> bytes | None:
        """Puts `owner` there for so long if nothing is; otherwise gives what is."""
        ...

    async def hold(self, name: str, seconds: float) -> None:
        """Lets what is there stay so long from now."""
        ...

    async def put(self, name: str, value: bytes, seconds: float) -> None:
        """Puts a value in the place of what is there."""
        ...

    async def remove(self, name: str, owner: bytes) -> None:
        """Takes `owner` away, if it is still there."""
        ...
