"""Arguments that several tools share."""

import re
from datetime import date
from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from gateway.tools._tool import Params

REPEATED_CALL: Final = (
    "The same key again, within 24 hours and with the same arguments, gives the first answer again and "
    "is not charged."
)
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")


def _day(value: object) -> object:
    """A date of its ISO text; anything else is left for the type to refuse."""
    if isinstance(value, str) and _DAY.fullmatch(value):
        return date.fromisoformat(value)
    return value


Day = Annotated[date, BeforeValidator(_day)]
Kind = Literal["paid_sponsorship", "promo_code", "affiliate", "free_product"]
Granularity = Literal["auto", "month", "quarter", "year"]
Country = Annotated[
    str, Field(pattern=r"^[A-Za-z]{2}$", examples=["US"]), AfterValidator(str.upper)
]
Text = Annotated[str, Field(min_length=1, max_length=200)]
CategoryId = Annotated[str, Field(min_length=1, max_length=80, examples=["vpn"])]


class SponsorArgument(Params):
    sponsor: Text = Field(
        description="The brand: id, slug, web domain or name.", examples=["nordvpn", "nordvpn.com"]
    )


class YoutuberArgument(Params):
    youtuber: Text = Field(
        description="The creator: id, channel id (UC…), @handle, channel URL or name.",
        examples=["@mkbhd", "UCBJycsmduvYEL83R_U4JriQ"],
    )


class LimitArgument(Params):
    limit: int = Field(10, ge=1, le=50, description="Most entries to answer with.")


class PageArguments(LimitArgument):
    cursor: str | None = Field(
        None,
        min_length=1,
        max_length=1024,
        description="`next_cursor` of the page before, with otherwise the same arguments.",
    )


class ConfidenceArgument(Params):
    min_confidence: float = Field(
        0.0,
        ge=0,
        le=1,
        description="Leave out sponsorships that the detector is less sure of, 0 to 1.",
    )


class PeriodArguments(Params):
    from_date: Day | None = Field(
        None, alias="from", description="First day, YYYY-MM-DD.", examples=["2026-01-01"]
    )
    to_date: Day | None = Field(
        None, alias="to", description="Last day, inclusive, YYYY-MM-DD.", examples=["2026-06-30"]
    )

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.from_date and self.to_date and self.from_date > self.to_date:
            raise ValueError(
                f"`from` ({self.from_date}) is after `to` ({self.to_date}): exchange them"
            )
        return self
