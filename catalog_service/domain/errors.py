"""Errors of calls to the catalogue."""

from servicekit.errors import Conflict, InvalidInput, NotFound, ResourceExhausted


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


class VideoNotFound(NotFound):
    default_reason = "VIDEO_NOT_FOUND"


class SponsorshipNotFound(NotFound):
    default_reason = "SPONSORSHIP_NOT_FOUND"


class ReportNotFound(NotFound):
    default_reason = "REPORT_NOT_FOUND"


class ListNotFound(NotFound):
    default_reason = "LIST_NOT_FOUND"


class ListNameTaken(Conflict):
    """Another list of the account has the name."""

    default_reason = "LIST_NAME_TAKEN"


class ListsFull(ResourceExhausted):
    """An account has as many lists, or a list as many entries, as there may be."""

    default_reason = "LISTS_FULL"


class AlreadyDecided(Conflict):
    """A report that is no longer open."""

    default_reason = "ALREADY_DECIDED"


class AlreadyStored(Conflict):
    """A report calls a sponsorship missing that the catalogue has."""

    default_reason = "ALREADY_THERE"


class CannotMerge(Conflict):
    """Sponsors that cannot be merged as asked."""

    default_reason = "CANNOT_MERGE"


class TooManyReports(ResourceExhausted):
    default_reason = "TOO_MANY_OPEN_REPORTS"


class Ambiguous(Conflict):
    """A name that several sponsors or youtubers have."""

    default_reason = "AMBIGUOUS"
