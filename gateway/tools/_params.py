"""The inputs of tools: arguments, those that several tools share, and the context of a call."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from typing import Annotated, ClassVar, Final, Literal, Self, cast

import msgspec
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)

from gateway.authentication.principal import Principal
from gateway.domain.elicitation import NO_ELICITATION
from gateway.domain.errors import InvalidArguments
from gateway.domain.exports import Exports
from gateway.domain.follower_limit import FollowerLimit
from gateway.domain.ports import Alerts, Catalog, Elicitor, Imports, Progress
from gateway.quota.models import QuotaState
from gateway.tools import _arguments, _leniency, _schema
from gateway.tools._listed import TOOLSET
from servicekit.errors import Unavailable

REPEATED_CALL: Final = (
    "The same key again, within 24 hours and with the same arguments, gives the first answer again and "
    "is not charged."
)
_MAX_PROBLEMS: Final = 10
"""Problems of a call that are reported; each costs many times the bytes that made it."""

MAX_LIMIT: Final = 50
"""Entries that a tool gives at once, at most."""


class Params(BaseModel):
    """Arguments of a tool. `null` counts as absent; unknown arguments are refused.

    Attributes:
        former_names: Names that are accepted and no longer listed, with those in their place.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
    former_names: ClassVar[Mapping[str, str]] = {}

    def provided(self) -> dict[str, object]:
        """Return the arguments that have a value, by field name, without those that choose parts of the answer."""
        return {
            name: value for name, value in self if value is not None and name not in _schema.PARTS
        }

    def cache_key(self) -> str:
        """Return the values that the whole answer depends on, in the order of the fields.

        It is equal for equal arguments only.
        """
        return repr(tuple(map(self.__dict__.__getitem__, _decisive_fields(type(self)))))

    @property
    def chooses_parts(self) -> bool:
        """Whether parts of the answer are chosen; only tools with large answers take that."""
        values = self.__dict__
        return values.get("fields") is not None or values.get("detail") == "brief"

    @property
    def is_of_account(self) -> bool:
        """Return whether the result depends on what the caller's account owns, and so is nobody else's."""
        return False

    @property
    def key(self) -> str | None:
        """The idempotency key; only tools that write take one."""
        # `getattr` of what a tool does not have costs ten times as much: pydantic writes an error first.
        return self.__dict__.get("idempotency_key")

    @classmethod
    def parse(cls, arguments: object, unlisted: Collection[str] = ()) -> Self:
        """Return the arguments of a call, checked.

        Args:
            arguments: As sent.
            unlisted: Arguments that no message offers, as something else than the caller sends them.

        Raises:
            InvalidArguments: Naming everything that is wrong.
        """
        if not isinstance(arguments, Mapping):
            raise InvalidArguments(
                f"`arguments` was {_arguments.shown(arguments)}; it must be an object."
            )
        try:
            return cls.model_validate(arguments)
        except ValidationError:
            return cls._parse_leniently(cast("Mapping[str, object]", arguments), unlisted)

    @classmethod
    def _parse_leniently(cls, arguments: Mapping[str, object], unlisted: Collection[str]) -> Self:
        """Return the arguments, which do not fit the schema as they are.

        Raises:
            InvalidArguments: They can mean nothing that fits it, or more than one thing.
        """
        arguments, sent = _leniency.listed_names(arguments, cls.former_names)
        schema = _schema.input_schema(cls)
        try:
            present = _leniency.without_blanks(arguments, schema)
            return cls.model_validate(_leniency.fitted(present, schema))
        except ValidationError as error:
            errors = error.errors(include_url=False)[:_MAX_PROBLEMS]
            schema = _schema.without(schema, unlisted)
            fields = _arguments.fields_of(errors, schema)
            raise InvalidArguments(
                _arguments.problems(errors, schema, sent, arguments)
                + _further(error.error_count() - len(errors)),
                details={"field": fields[0]} if fields else None,
            ) from None


@cache
def _decisive_fields(params: type[Params]) -> tuple[str, ...]:
    """Return the fields that the whole answer depends on, in their order."""
    return tuple(name for name in params.model_fields if name not in _schema.PARTS)


def _further(count: int) -> str:
    return f" And {count:,} more." if count else ""


@dataclass(frozen=True, slots=True)
class Backends:
    """The services behind the tools.

    Attributes:
        catalog: The catalog of sponsorships.
        imports: The imports of channels.
        alerts: The watches of accounts.
        progress_seconds: The longest time that a tool reports progress.
        follower_limit: Limits the calls that follow an import.
        file_exports: Plans exports and makes links to them; None where there are none, as in tests of other tools.
    """

    catalog: Catalog
    imports: Imports
    alerts: Alerts
    progress_seconds: float = 50.0
    follower_limit: FollowerLimit = field(default_factory=lambda: FollowerLimit(20))
    file_exports: Exports | None = None

    @property
    def exports(self) -> Exports:
        """Plans exports, and makes links to them.

        Raises:
            Unavailable: There are none here.
        """
        if self.file_exports is None:
            raise Unavailable("This gateway makes no exports.")
        return self.file_exports


class ToolContext(msgspec.Struct, frozen=True):
    """The caller, the services and the state of one call, for its tool.

    Attributes:
        principal: The caller.
        quota: The quota that is left after this call.
        backends: The services that tools call.
        progress: Reports the call's progress to callers who want it.
        elicitor: Requests input from the caller; works in every protocol version only for tools with `elicits`.
    """

    principal: Principal
    quota: QuotaState
    backends: Backends
    progress: Progress
    elicitor: Elicitor = NO_ELICITATION

    @property
    def catalog(self) -> Catalog:
        return self.backends.catalog

    @property
    def imports(self) -> Imports:
        return self.backends.imports

    @property
    def alerts(self) -> Alerts:
        return self.backends.alerts

    @property
    def progress_seconds(self) -> float:
        return self.backends.progress_seconds


def _day(value: object) -> object:
    """A date of its ISO text; anything else is left for the type to refuse."""
    if isinstance(value, str) and _arguments.DAY.fullmatch(value):
        return date.fromisoformat(value)
    return value


Day = Annotated[date, BeforeValidator(_day)]
RelationStatus = Literal["active", "lapsed", "unknown"]
Kind = Literal["paid_sponsorship", "promo_code", "affiliate", "free_product"]
Granularity = Literal["auto", "month", "quarter", "year"]
Country = Annotated[
    str,
    StringConstraints(strip_whitespace=True),
    Field(pattern=_arguments.COUNTRY_CODE, examples=["US"]),
    AfterValidator(str.upper),
]
Text = Annotated[str, Field(min_length=1, max_length=200)]
CategoryId = Annotated[str, Field(min_length=1, max_length=80, examples=["vpn"])]


_KINDS_EXAMPLES: Final = [["paid_sponsorship", "promo_code"]]


class SponsorArgument(Params):
    sponsor: Text = Field(
        description="The brand: id, slug, web domain, link or name.",
        examples=["nordvpn", "nordvpn.com"],
    )


class YoutuberArgument(Params):
    youtuber: Text = Field(
        description="The creator: id, channel id (UC…), @handle, channel or video URL, or name.",
        examples=["@mkbhd", "UCBJycsmduvYEL83R_U4JriQ"],
    )


class RecordArgument(Params):
    record: bool = Field(False, description="Add the record of paid work, which takes longer.")

    @model_validator(mode="before")
    @classmethod
    def _full_results_and_its_fields_need_it(cls, arguments: object) -> object:
        if not isinstance(arguments, Mapping):
            return arguments
        sent = cast("Mapping[str, object]", arguments)
        if _has_field_of_record(sent.get("fields")):
            return {**sent, "record": True}
        return {"record": True, **sent} if sent.get("detail") == "full" else sent


def _has_field_of_record(fields: object) -> bool:
    """Return whether `fields` has the record, or a part of it."""
    if not isinstance(fields, list):
        return False
    paths = cast("list[object]", fields)
    return any(isinstance(path, str) and path.strip().split(".")[0] == "record" for path in paths)


_ID_OR_NAME: Final = "id or name of a list of list.all."


class ListFilters(Params):
    """Filters by the saved lists of the caller's account, which only connections with the toolset `lists` list."""

    in_list: Text | None = Field(
        None,
        description=f"Only brands or creators in this saved list: {_ID_OR_NAME}",
        json_schema_extra={TOOLSET: "lists"},
    )
    not_in_list: Text | None = Field(
        None,
        description=f"No brands or creators in this saved list: {_ID_OR_NAME}",
        json_schema_extra={TOOLSET: "lists"},
    )

    @property
    def is_of_account(self) -> bool:
        return self.in_list is not None or self.not_in_list is not None

    def query_for(self, context: "ToolContext") -> dict[str, object]:
        """Return the arguments that have a value, and whose lists they name if they name one."""
        provided = self.provided()
        if self.is_of_account:
            provided["account_id"] = context.principal.entitlements.account_id
        return provided


class LimitArgument(Params):
    limit: int = Field(10, ge=1, le=MAX_LIMIT, description="Maximum number of entries.")


class PageArguments(LimitArgument):
    cursor: str | None = Field(
        None,
        min_length=1,
        max_length=1024,
        description="`next_cursor` of the page before, with otherwise the same arguments.",
    )


class YoutuberFilters(Params):
    """Conditions on creators themselves."""

    category: CategoryId | None = Field(
        None,
        description="Channels of this content category; ids come from category.list.",
        examples=["gaming"],
    )
    country: Country | None = Field(
        None, description="Creators from this country, ISO 3166-1 alpha-2."
    )
    min_subscribers: int | None = Field(
        None, ge=0, le=10_000_000_000, description="Creators with at least this many subscribers."
    )
    max_subscribers: int | None = Field(
        None, ge=0, le=10_000_000_000, description="Creators with at most this many subscribers."
    )
    sponsored_by: Text | None = Field(
        None,
        description="Creators that this brand sponsored: id, slug, web domain or name.",
        examples=["squarespace"],
    )
    sponsored_by_category: CategoryId | None = Field(
        None,
        description="Creators with a sponsor of this category of brands; ids come from category.list.",
    )
    not_sponsored_by: Text | None = Field(
        None,
        description="Creators whose videos were looked at and name no sponsorship of this brand: id, slug, web domain "
        "or name.",
        examples=["nordvpn"],
    )

    @model_validator(mode="after")
    def _range_in_order(self) -> Self:
        low, high = self.min_subscribers, self.max_subscribers
        if low is not None and high is not None and low > high:
            raise ValueError(
                f"`min_subscribers` ({low}) is more than `max_subscribers` ({high}): exchange them"
            )
        return self


class ConfidenceArgument(Params):
    min_confidence: float = Field(
        0.0,
        ge=0,
        le=1,
        description="Leave out sponsorships that the detector is less sure of, 0 to 1; steps of 0.05 take least time.",
    )


class KindsArgument(Params):
    kinds: list[Kind] | None = Field(
        None,
        min_length=1,
        max_length=4,
        description="Sponsorships of these kinds; all kinds if absent.",
        examples=_KINDS_EXAMPLES,
    )


class PaidKindsArgument(Params):
    kinds: list[Kind] | None = Field(
        None,
        min_length=1,
        max_length=4,
        description="Sponsorships of these kinds. If absent, paid work: paid_sponsorship, promo_code and "
        "affiliate; free products for review are left out.",
        examples=_KINDS_EXAMPLES,
    )


class OldKindArgument(KindsArgument):
    """`kind` as it was before `kinds` (docs/versioning.md)."""

    kind: Kind | None = Field(
        None,
        description="Deprecated since 2026-11-22, will be removed after 2027-06-01. Use `kinds` instead. "
        "Sponsorships of this kind.",
        json_schema_extra={"deprecated": True},
    )


class SponsorshipScope(Params):
    category: CategoryId | None = Field(
        None, description="Brands of this category; ids come from category.list."
    )
    content_category: CategoryId | None = Field(
        None,
        description="Videos of this content category; ids come from category.list.",
        examples=["gaming"],
    )
    country: Country | None = Field(
        None, description="Creators from this country, ISO 3166-1 alpha-2."
    )


class PeriodArguments(Params):
    # `from` is a keyword of Python, which frameworks that make functions of tools cannot take.
    former_names: ClassVar[Mapping[str, str]] = {"from": "since", "to": "until"}

    from_date: Day | None = Field(
        None, alias="since", description="First day, YYYY-MM-DD.", examples=["2026-01-01"]
    )
    to_date: Day | None = Field(
        None, alias="until", description="Last day, inclusive, YYYY-MM-DD.", examples=["2026-06-30"]
    )

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.from_date and self.to_date and self.from_date > self.to_date:
            raise ValueError(
                f"`since` ({self.from_date}) is after `until` ({self.to_date}): exchange them"
            )
        return self
