"""The table of errors: the form of each for a script and for a client."""

from datetime import UTC, datetime

import pytest

from gateway.domain.errors import InvalidArguments, PlanRequired
from gateway.mcp.client_info import ClientInfo
from gateway.mcp.errors import status_of, tool_failure
from gateway.quota.errors import QuotaExceeded, RateLimited
from gateway.quota.models import QuotaState
from servicekit.errors import (
    Conflict,
    Internal,
    InvalidInput,
    NotFound,
    PermissionDenied,
    ServiceError,
    Unavailable,
)

STATE = QuotaState(30, 0, datetime(2026, 12, 1, tzinfo=UTC), datetime(2026, 11, 30, tzinfo=UTC))
URL = "https://site.example/plans"
SCRIPT = ClientInfo("2025-03-26", is_client=False, name="")
SESSION_BASED = ClientInfo("2025-11-25", is_client=True, name="")
STATELESS = ClientInfo("2026-07-28", is_client=True, name="")


@pytest.mark.parametrize(
    ("error", "code", "status", "rpc_code"),
    [
        (QuotaExceeded("x", state=STATE, retry_after=9), "quota_exceeded", 429, 429),
        (RateLimited("x", state=STATE, retry_after=0.2), "rate_limited", 429, 429),
        (PlanRequired("x"), "plan_required", 403, 403),
        (InvalidArguments("x"), "invalid_arguments", 400, -32602),
        (InvalidInput("x"), "invalid_arguments", 400, -32602),
        (InvalidInput("x", "AMBIGUOUS"), "ambiguous", 400, -32602),
        (NotFound("x"), "not_found", 400, -32602),
        (Conflict("x"), "conflict", 409, 409),
        (Unavailable("x", retry_after=2), "unavailable", 503, 503),
        (Internal("x"), "internal", 503, -32603),
        (PermissionDenied("x"), "internal", 503, -32603),
    ],
)
def test_each_failure_has_its_code_and_status(
    error: ServiceError, code: str, status: int, rpc_code: int
) -> None:
    failure = tool_failure(error, URL)
    assert failure.code == code
    assert (failure.script.status, failure.script.code) == (status, rpc_code)
    assert failure.text == failure.script.message == failure.facts["message"]
    assert (b"retry-after" in dict(failure.script.headers)) is (error.retry_after is not None)


def test_waiting_times_are_whole_seconds_and_never_zero() -> None:
    failure = tool_failure(RateLimited("x", state=STATE, retry_after=0.2), URL)
    assert failure.facts["retry_after_seconds"] == 1
    assert failure.script.headers == ((b"retry-after", b"1"),)


def test_no_larger_plan_is_offered_where_the_operator_has_set_the_limit() -> None:
    failure = tool_failure(QuotaExceeded("x", state=STATE, retry_after=9, is_own_limit=True), URL)
    assert (failure.text, "upgrade_url" in failure.facts) == ("x", False)


def test_only_a_larger_plan_is_offered_where_it_helps() -> None:
    helped = [QuotaExceeded("x", state=STATE, retry_after=9), PlanRequired("x")]
    for error in helped:
        failure = tool_failure(error, URL)
        assert failure.facts["upgrade_url"] == URL
        assert URL in failure.text
    assert URL not in tool_failure(RateLimited("x", state=STATE, retry_after=1), URL).text


def test_details_of_the_services_are_handed_on() -> None:
    error = NotFound("No sponsor x.", details={"field": "sponsor"})
    assert tool_failure(error, URL).facts["details"] == {"field": "sponsor"}


@pytest.mark.parametrize(
    ("code", "script", "session_based", "stateless"),
    [
        (-32700, 400, 400, 400),
        (-32600, 400, 400, 400),
        (-32601, 404, 200, 404),
        (-32602, 400, 200, 400),
        (-32603, 503, 200, 200),
    ],
)
def test_the_status_of_a_protocol_error_depends_on_the_caller(
    code: int, script: int, session_based: int, stateless: int
) -> None:
    statuses = [status_of(code, caller) for caller in (SCRIPT, SESSION_BASED, STATELESS)]
    assert statuses == [script, session_based, stateless]
