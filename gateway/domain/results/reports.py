"""The answer of `sponsorship.report`."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from gateway.domain.results.shared import SponsorRef, Video


@dataclass(frozen=True, slots=True)
class Report:
    """A report that is kept for review."""

    id: Annotated[str, "Its number; the same report again answers with the same."]
    state: Annotated[str, "open until somebody has reviewed it; then accepted or rejected."]
    kind: Annotated[str, "wrong, missing or wrong_kind."]
    video: Annotated[Video, "The video that it is about."]
    sponsor: Annotated[SponsorRef | None, "The brand that it is about, if the catalogue has it."]
    brand: Annotated[str | None, "The brand that is said to be the right one."]
    proposed_kind: Annotated[str | None, "The kind that is said to be the right one."]
    note: Annotated[str | None, "What was said beside it."]
    created_at: Annotated[datetime, "When it was first reported."]
