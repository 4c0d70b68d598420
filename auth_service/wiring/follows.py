"""Wire the limits of followed channels, which the import worker is told."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from auth_service.clients.follows import GrpcFollowLimitWorker
from auth_service.domain.follow_limits import FollowLimits
from auth_service.wiring.resources import Resources
from servicekit.observability import logs
from servicekit.process.loops import NamedLoop

_COMPARE_SECONDS: Final = 600.0

log = logs.get(__name__)


def follow_jobs(resources: Resources) -> Sequence[NamedLoop]:
    """Return what has to run while the service does; nothing where nothing is imported."""
    if resources.imports is None:
        return ()
    limits = FollowLimits(
        resources.open_site,
        GrpcFollowLimitWorker(resources.imports),
        resources.plans,
        resources.clock,
        resources.changed,
        _report,
    )
    return (("follow limits", partial(limits.run, _COMPARE_SECONDS)),)


def _report(error: str) -> None:
    log.warning("follow_limits_not_sent", error=error)
