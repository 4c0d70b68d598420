"""The query `youtuber.outlook`."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from catalog_service.domain import public_ids
from catalog_service.domain.errors import BadArgument
from catalog_service.domain.outlook import bundles, cpm, evergreen, projection, trend, uploads
from catalog_service.domain.outlook.ports import OutlookStore, RecentVideos
from catalog_service.domain.outlook.samples import (
    AT_AGE,
    DAY_30,
    LATEST_OBSERVATION,
    MIN_VIDEOS,
    WINDOWS,
    RecentVideo,
    WindowSample,
    recent,
)
from catalog_service.domain.ports import Today, YoutuberStore
from catalog_service.domain.resolver import Resolver
from catalog_service.domain.video_formats import FORMATS, UNKNOWN
from shapes.catalog.outlook import (
    BundleTotal,
    Evergreen,
    ExpectedCpm,
    FormatOutlook,
    OutlookRequest,
    ProjectedViews,
    UploadRate,
    ViewTrend,
    YoutuberOutlook,
)
from shapes.catalog.shared import Coverage

MIN_PRICE: Final = 0.01
MAX_PRICE: Final = 1e9
_OLD_DAYS: Final = 90
_LONGEST_LABEL: Final = 10
_NO_COMPARISON: Final = (
    "What sponsors pay is not public, and the catalogue has no prices: a median CPM of comparable "
    "channels is not known."
)
_NO_EVERGREEN: Final = f"It needs {MIN_VIDEOS} videos of the last 365 days with snapshots around {AT_AGE} and {evergreen.LATER_AGE} days."
_NO_RATE: Final = f"The known videos of the channel span less than {uploads.RATE_DAYS} days."


@dataclass(frozen=True, slots=True)
class OutlookQueries:
    store: OutlookStore
    youtubers: YoutuberStore
    resolver: Resolver
    today: Today

    async def get(self, request: OutlookRequest) -> YoutuberOutlook:
        """Return what a youtuber's next videos can be expected to bring; raise `YoutuberNotFound` or `Ambiguous`."""
        price, currency = _price(request.price), _currency(request.currency)
        ref = await self.resolver.youtuber(request.youtuber)
        number = public_ids.number(ref.id)
        coverage = await self.youtubers.coverage(number)
        first, newest = coverage.first_video, coverage.last_video
        formats: tuple[FormatOutlook, ...] = ()
        if first is not None and newest is not None:
            since = newest - timedelta(days=uploads.YEAR - 1)
            known = await self.store.recent_videos(number, since, newest)
            formats = _formats(known, first, newest, price)
        return YoutuberOutlook(
            youtuber=ref,
            as_of=newest,
            at_age_days=AT_AGE,
            formats=formats,
            price=price,
            currency=currency,
            comparable_cpm=None,
            comparable_cpm_reason=None if price is None else _NO_COMPARISON,
            coverage=coverage,
            note=" ".join(self._notes(coverage, formats)) or None,
        )

    def _notes(self, coverage: Coverage, formats: Sequence[FormatOutlook]) -> list[str]:
        if coverage.last_video is None:
            return ["No video of the channel is known yet: import it first."]
        notes: list[str] = []
        days = (self.today() - coverage.last_video).days
        if days > _OLD_DAYS:
            notes.append(
                f"The newest known video is of {coverage.last_video}, {days:,} days ago: the figures are those of that day, not of "
                "today."
            )
        unknown = [item.uploads.videos for item in formats if item.format == UNKNOWN]
        notes.extend(map(_unknown_format, unknown))
        return notes


def _formats(
    known: RecentVideos, first: date, newest: date, price: float | None
) -> tuple[FormatOutlook, ...]:
    return tuple(
        _outlook(
            name,
            [video for video in known.videos if video.format == name],
            uploads.uploads(known.counts[name], first, newest),
            newest,
            price,
        )
        for name in FORMATS
        if known.counts.get(name)
    )


def _outlook(
    name: str,
    videos: Sequence[RecentVideo],
    rate: uploads.Uploads,
    newest: date,
    price: float | None,
) -> FormatOutlook:
    """Return the outlook of one format, from its videos alone."""
    found = recent(videos, newest)
    later = evergreen.evergreen(videos)
    change = trend.trend(videos, found.sample.basis if found else LATEST_OBSERVATION, newest)
    totals = () if found is None else bundles.bundles(found.sample.views)
    projected = None if found is None else _projection(found.sample.views, totals)
    return FormatOutlook(
        format=name,
        projected=None if found is None or projected is None else _views(name, found, projected),
        reason=_too_few(name, newest) if found is None else None,
        bundles=tuple(
            BundleTotal(
                item.videos, round(item.views), round(item.guarantee), item.guarantee_probability
            )
            for item in totals
        ),
        cpm=None if price is None or projected is None else _cpm(price, projected),
        evergreen=Evergreen(
            later.ratio, later.videos, _NO_EVERGREEN if later.ratio is None else None
        ),
        uploads=UploadRate(
            rate.per_90_days,
            rate.videos,
            rate.days,
            _NO_RATE if rate.per_90_days is None else None,
        ),
        trend=_trend(change),
        no_bundles=_no_bundles(found, totals),
    )


def _projection(
    views: Sequence[float], totals: Sequence[bundles.BundleViews]
) -> projection.Projection:
    projected = projection.project(views)
    return projected.below(totals[0].views) if totals else projected


def _views(name: str, found: WindowSample, projected: projection.Projection) -> ProjectedViews:
    sample = found.sample
    return ProjectedViews(
        views=round(projected.views),
        low_50=round(projected.interval_50.low),
        high_50=round(projected.interval_50.high),
        low_80=round(projected.interval_80.low),
        high_80=round(projected.interval_80.high),
        basis=sample.basis,
        videos=len(sample.views),
        outliers=projected.outliers,
        window_days=found.days,
        youngest_days=sample.youngest,
        oldest_days=sample.oldest,
        meaning=_meaning(name, found),
    )


def _meaning(name: str, found: WindowSample) -> str:
    """Return what the projected views are, in words."""
    sample = found.sample
    kind = "video of unknown format" if name == UNKNOWN else f"{name} video"
    if sample.basis == DAY_30:
        return (
            f"Views of the next {kind} when it is {AT_AGE} days old, by the views at that age of {len(sample.views)} videos "
            f"published in the {found.days} days until `as_of`."
        )
    ages = (
        "at ages that are not known"
        if sample.youngest is None
        else f"when these were {sample.youngest:,} to {sample.oldest:,} days old"
    )
    return (
        f"Views of the next {kind}, by {len(sample.views)} videos that were {AT_AGE} to {found.days} days old on `as_of`. There are "
        f"too few snapshots at {AT_AGE} days: these are views of the last look at each, counted {ages}. At {AT_AGE} days "
        "a video has as many at most, and mostly fewer; a CPM is then higher."
    )


def _trend(change: trend.Trend) -> ViewTrend:
    interval = change.interval
    return ViewTrend(
        direction=change.direction,
        ratio=change.ratio,
        low=None if interval is None else interval.low,
        high=None if interval is None else interval.high,
        videos=change.videos,
        earlier_videos=change.earlier_videos,
        reason=change.reason,
    )


def _cpm(price: float, projected: projection.Projection) -> ExpectedCpm:
    found = cpm.expected(price, projected)
    return ExpectedCpm(found.expected, found.low, found.high)


def _no_bundles(found: WindowSample | None, totals: Sequence[bundles.BundleViews]) -> str | None:
    if totals:
        return None
    known = 0 if found is None else len(found.sample.views)
    return f"A bundle needs {bundles.MIN_VIDEOS} videos that a projection rests on, and there are {known}."


def _too_few(name: str, newest: date) -> str:
    which = "videos" if name == UNKNOWN else f"{name} videos"
    return (
        f"It needs {MIN_VIDEOS} {which} with known views that were {AT_AGE} to {WINDOWS[-1]} days old on {newest}, the day of the "
        "channel's newest known video; fewer are known."
    )


def _unknown_format(videos: int) -> str:
    return (
        f"Of {videos:,} videos of the last year the format is not known, as nobody said how long they are or whether they were "
        "broadcasts: the figures of `unknown` may mix longform videos with shorts."
    )


def _price(value: float | None) -> float | None:
    if value is None or MIN_PRICE <= value <= MAX_PRICE:
        return value
    raise BadArgument("price", f"`price` must be from {MIN_PRICE} to {MAX_PRICE:,.0f}.")


def _currency(value: str | None) -> str | None:
    """Return the label of a currency, such as EUR or $; it changes no figure."""
    if value is None:
        return None
    label = value.strip()
    if not 1 <= len(label) <= _LONGEST_LABEL or not label.isprintable():
        raise BadArgument("currency", "`currency` must be a short label, as in EUR.")
    return label
