"""Step-up: a client is refused for a scope, and has to send its user to consent to more.

A refresh never widens a grant (RFC 6749 section 6). Version 1 of the TypeScript SDK refreshes all the
same when it is refused for a scope, and gives up when the second call is refused like the first. So the
authorization server hears of the refusal, and answers that refresh by the need of a new authorization.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Final

from gateway.authentication.ports import ConsentReporter
from gateway.authentication.principal import Principal
from servicekit.errors import ServiceError
from servicekit.observability import logs

_PAUSE_SECONDS: Final = 1.0
_MAX_REMEMBERED: Final = 10_000
_NOT_CHALLENGED: Final = "offline_access"
"""The MCP specification keeps it out of challenges: it is not a need of any call."""

log = logs.get(__name__)


def scopes_from_now_on(granted: Iterable[str], needed: str) -> str:
    """Return the scopes that a client must request so as to get `needed` and lose nothing.

    Common clients replace the scopes that they have by those of the challenge.
    """
    scopes = dict.fromkeys([*granted, *needed.split()])
    return " ".join(scope for scope in scopes if scope != _NOT_CHALLENGED)


class StepUps:
    """Report refused callers to the authorization server, each at most once a second for a scope."""

    def __init__(
        self, reporter: ConsentReporter, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._reporter = reporter
        self._now = now
        self._reported: OrderedDict[tuple[str, str], float] = OrderedDict()

    async def report(self, principal: Principal, needed: str) -> None:
        """Report that this caller was refused for needed scopes; failing that, only log it."""
        credential_id, now = principal.credential_id, self._now()
        refusal = (credential_id, needed)
        reported_at = self._reported.get(refusal)
        if reported_at is not None and now - reported_at < _PAUSE_SECONDS:
            return
        self._reported[refusal] = now
        self._reported.move_to_end(refusal)
        if len(self._reported) > _MAX_REMEMBERED:
            self._reported.popitem(last=False)
        try:
            await self._reporter.require_consent(credential_id, needed.split())
        except ServiceError as error:
            log.warning("step_up_not_reported", error=str(error))
