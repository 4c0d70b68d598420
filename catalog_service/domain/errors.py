"""What can be wrong with a call to the catalogue."""

from servicekit.errors import Conflict, InvalidInput, NotFound


class BadArgument(InvalidInput):
    """An argument that no catalogue could answer; names the field."""

    def __init__(self, field: str, message: str, **details: str) -> None:
        super().__init__(message, details={"field": field, **details})


class BadCursor(BadArgument):
    """A cursor that was not issued for this query."""

    default_reason = "BAD_CURSOR"

    def __init__(self) -> None:
        super().__init__(
            "cursor",
            "This cursor does not belong to this query. Start again without `cursor` and then pass "
            "each answer's `next_cursor` with otherwise unchanged arguments.",
        )


class SponsorNotFound(NotFound):
    default_reason = "SPONSOR_NOT_FOUND"


class YoutuberNotFound(NotFound):
    default_reason = "YOUTUBER_NOT_FOUND"


class Ambiguous(Conflict):
    """A name that several sponsors or youtubers have."""

    default_reason = "AMBIGUOUS"
