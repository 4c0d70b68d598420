"""A second reader of texts that the detector is unsure of: its port, its types and its errors."""

import hashlib
import re
from dataclasses import dataclass
from typing import Final, Protocol

from import_worker.domain.imports import Backoff
from import_worker.domain.records import ExcerptSource, Kind

_MAX_DESCRIPTION: Final = 10_000
_MAX_TITLE: Final = 500
_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A brand that the rules propose for a video.

    Attributes:
        brand: Its name.
        domain: Its registrable domain, when known.
        kind: How it would stand behind the video.
        probability: That it does, from 0 to 1.
        evidence: The words of the video's text that show it.
    """

    brand: str
    domain: str | None
    kind: Kind
    probability: float
    evidence: str


@dataclass(frozen=True, slots=True)
class ReaderText:
    """All that a second reader is sent of a video."""

    title: str
    description: str

    def cache_key(self, model: str, prompt_version: str) -> str:
        """Return the SHA-256 of the text, the model and the prompt's version, in hexadecimal."""
        parts = (self.title, self.description, model, prompt_version)
        return hashlib.sha256("\x00".join(parts).encode()).hexdigest()


def reader_text(title: str, description: str) -> ReaderText:
    """Return the text of a video as it is sent: cut as the detector cuts it, offsets unchanged."""
    return ReaderText(_plain(title[:_MAX_TITLE]), _plain(description[:_MAX_DESCRIPTION]))


def _plain(text: str) -> str:
    return _LONE_SURROGATE.sub("\ufffd", text).replace("\x00", "\ufffd")


@dataclass(frozen=True, slots=True)
class Mention:
    """A brand in a text, as a second reader claims it; not checked yet.

    Attributes:
        brand: Its name.
        domain: Its domain, or None.
        kind: How it stands behind the video; None for a brand that does not.
        evidence: The words that show it, said to be exact.
    """

    brand: str
    domain: str | None
    kind: Kind | None
    evidence: str


@dataclass(frozen=True, slots=True)
class CheckedMention:
    """A mention whose evidence, name and domain were found.

    Attributes:
        brand: The name in the directory, else the reader's.
        slug: Its slug in the directory; None for a brand that the directory does not know.
        domain: Registrable, when known.
        kind: How it stands behind the video; None for a brand that does not.
        evidence: The exact words.
        source: The text that has them.
        start: Their first character in it.
        end: One past their last.
    """

    brand: str
    slug: str | None
    domain: str | None
    kind: Kind | None
    evidence: str
    source: ExcerptSource
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ReaderResponse:
    """The mentions in one text, and the tokens that they cost."""

    mentions: tuple[Mention, ...]
    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(frozen=True, slots=True)
class ReaderPolicy:
    """The operator's choices about a second reader.

    Attributes:
        lower: Probability from which on a candidate is unsure.
        upper: Probability from which on it is sure.
        channel_requests: Requests that one channel may cost in a day in UTC.
        max_attempts: Requests for one text, the first included.
        backoff: Waits between them.
        concurrency: Requests at a time of one worker process.
    """

    lower: float
    upper: float
    channel_requests: int
    max_attempts: int
    backoff: Backoff
    concurrency: int

    def is_unsure(self, probability: float) -> bool:
        """Return whether a second reader is called for a candidate of that probability."""
        return self.lower <= probability < self.upper


class SecondReader(Protocol):
    """A reader outside, that sees the text of one video and nothing else."""

    @property
    def name(self) -> str:
        """The name that detections are published with: the model's."""
        ...

    @property
    def prompt_version(self) -> str: ...

    async def read(self, text: ReaderText) -> ReaderResponse:
        """Return the brands in a text; one request, never repeated here.

        Raises:
            ReaderUnavailableError: There is no response now; a later one may succeed.
            ReaderRefusedError: No request will succeed until the operator changes something.
            ResponseUnusableError: The response to this text cannot be used.
        """
        ...


class ReaderError(Exception):
    """A reading that failed. `outcome` is a word of ours, for metrics and logs."""

    def __init__(self, outcome: str) -> None:
        super().__init__(outcome)
        self.outcome = outcome


class ReaderUnavailableError(ReaderError):
    """No response now. `retry_after` is the wait in seconds that the reader states."""

    def __init__(self, outcome: str, retry_after: float | None = None) -> None:
        super().__init__(outcome)
        self.retry_after = retry_after


class ReaderRefusedError(ReaderError):
    """The reader takes no request of ours: a wrong key, address or model."""


class ResponseUnusableError(ReaderError):
    """The response is not what was requested."""
