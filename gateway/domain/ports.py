"""What the gateway needs from outside; `clients` and `storage` have it, tests have fakes."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import Any, Literal, Protocol, TypeVar

from gateway.authentication.principal import Entitlements, Principal
from gateway.domain.elicitation import Kind, Question, Reply
from gateway.domain.results.imports import ImportStatus
from gateway.domain.tasks import Task
from gateway.quota.counters import CounterState, GenerationSnapshot, LedgerDecision
from gateway.quota.models import Decision, Reservation, Seed, UsageEntry, UsageRequest

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


class Access(Protocol):
    """Knows accounts, credentials and the ledger of usage."""

    async def resolve_key(self, key_sha256: bytes) -> Principal:
        """Who holds the API key with this SHA-256.

        Raises:
            Unauthenticated: No such key, or it does not hold now; the message says why.
            Unavailable: The auth service does not answer in time.
        """
        ...

    async def resolve_grant(self, grant_id: str) -> Principal:
        """Whose this OAuth grant is. The caller has verified the token that names it.

        Raises:
            Unauthenticated: The grant was ended; the message says so.
            Unavailable: The auth service does not answer in time.
        """
        ...

    async def signing_keys(self) -> Any:
        """The JWK set of the authorization server (RFC 7517), as an object."""
        ...

    async def issuer_metadata(self) -> Any:
        """The metadata of the authorization server (RFC 8414), as an object."""
        ...

    async def used_in(self, account_id: str, month: str) -> int:
        """Requests that the ledger holds for a month, given as "2026-11" (UTC)."""
        ...

    async def record_usage(self, entries: Sequence[UsageEntry], lineage: str | None = None) -> None:
        """Adds at most 1,000 entries to the ledger; an entry that it has is ignored.

        Args:
            entries: Admitted and taken back calls.
            lineage: Of the counters that have them, "" if none has; None for entries from the
                counters' own stream.
        """
        ...

    async def admit(self, charge: UsageRequest, limit: int) -> LedgerDecision:
        """Admits a call by the ledger, once for each entry id, however often it is asked.

        Raises:
            Unavailable: The ledger does not answer; the call may have been admitted.
        """
        ...

    async def counting(self) -> CounterState:
        """The epoch whose counters are in use."""
        ...

    async def begin_epoch(self, epoch: str) -> None:
        """Begins an epoch: its counters are seeded from what the ledger holds now or later."""
        ...


class TokenVerifier(Protocol):
    """Verifies one kind of bearer token."""

    def recognises(self, token: str) -> bool:
        """Whether the token is of this verifier's kind, told by its form alone."""
        ...

    async def verify(self, token: str) -> Principal:
        """Who the token speaks for.

        Raises:
            Unauthenticated: The token does not hold; the message says why.
            Unavailable: That cannot be told now.
        """
        ...


class ProofStore(Protocol):
    """Remembers which proofs were used (RFC 9449 section 11.1), for all gateways."""

    async def add(self, use_id: bytes, seconds: float) -> bool:
        """Remembers a proof for that long; false when it was remembered already.

        Raises:
            Unavailable: It does not answer.
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


class QuotaStore(Protocol):
    """Counts requests by account and month, exactly, however many gateways ask at once."""

    async def take(
        self, charge: UsageRequest, entitlements: Entitlements, seed: Seed | None = None
    ) -> Decision:
        """Admits or refuses one call, and puts an admitted one on the way to the ledger.

        Args:
            charge: The call and what it costs.
            entitlements: The account's limits.
            seed: Requests already used this month, for a counter that does not exist.

        Raises:
            Unavailable: The store does not answer; nothing was admitted.
        """
        ...

    async def refund(self, admission: Reservation) -> None:
        """Undoes an admission in counter and ledger."""
        ...


class Counters(Protocol):
    """The counters in Valkey. Unlike a `QuotaStore` they may be gone, or not in use any more."""

    async def take(
        self,
        charge: UsageRequest,
        entitlements: Entitlements,
        seed: Seed | None = None,
        lineage: str = "",
    ) -> Decision:
        """As `QuotaStore.take`, under a lineage.

        Raises:
            Unavailable: No answer; the call may have been admitted all the same.
        """
        ...

    async def refund(self, admission: Reservation) -> bool:
        """Undoes an admission; false when the counters of its lineage are not in use any more.

        Raises:
            Unavailable: No answer; it may have been undone all the same.
        """
        ...

    def abandon(self) -> None:
        """Calls that have not left yet fail at once, as those that have will."""
        ...


class GenerationStore(Protocol):
    """What Valkey remembers of the lineage of its counters. Each method may raise `Unavailable`."""

    async def look(self) -> GenerationSnapshot:
        """What it remembers now."""
        ...

    async def close(self, token: str) -> bool:
        """From now on nothing is counted until `open` with this token.

        False while somebody else has it closed for their own token.
        """
        ...

    def waiting(self) -> AsyncGenerator[Sequence[UsageEntry]]:
        """What waits for the ledger, in parts that fit into one call."""
        ...

    async def open(self, token: str, lineage: str) -> bool:
        """Counts under `lineage` from now on; false when it is not closed by this token."""
        ...
