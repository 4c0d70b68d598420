"""Imports as tasks at the endpoint: started, followed, cancelled, and reported on a stream."""

import base64
from typing import Any

import httpx2
import pytest

from gateway.mcp.versions import STATELESS
from protos.imports.v1 import imports_pb2
from servicekit.errors import Unavailable
from tests.fakes.backends import Backends
from tests.fakes.gateway_ports import KEY, principal
from tests.fakes.wire import validator
from tests.integration.gateway.conftest import Service, request, until
from tests.integration.gateway.test_progress import BOTH
from tests.integration.gateway.test_protocol_versions import META, initialize, post_stateless
from tests.integration.gateway.test_requirements import code_of, gateway_on_socket, listening_to

EXTENSION = "io.modelcontextprotocol/tasks"
DECLARED: dict[str, Any] = META | {
    "io.modelcontextprotocol/clientCapabilities": {"extensions": {EXTENSION: {}}}
}
IMPORT: dict[str, Any] = {"name": "channel.import", "arguments": {"channel": "@example"}}
METHODS = pytest.mark.parametrize("method", ["tasks/get", "tasks/update", "tasks/cancel"])


def add_import(
    backends: Backends, state: str = "running", **changes: Any
) -> imports_pb2.ImportStatus:
    """The one import that there is; changes of it are seen by the next request."""
    facts: dict[str, Any] = {
        "import_id": "imp_1",
        "channel_title": "Example",
        "state": state,
        "message": "A sentence.",
        "videos_seen": 50,
        "videos_total": 100,
        "created_at": "2026-11-21T12:00:00Z",
    }
    found = imports_pb2.ImportStatus(**(facts | changes))
    backends.imports["account-1", "imp_1"] = found
    return found


async def declaring(service: Service, method: str, /, **params: Any) -> httpx2.Response:
    """A request of a client that follows tasks."""
    name = str(params.get("taskId", params.get("name", "")))
    wrapped = f"=?base64?{base64.b64encode(name.encode()).decode()}?="
    headers = {"mcp_protocol_version": STATELESS, "mcp_method": method, "mcp_name": wrapped}
    return await service.post(request(method, **params, _meta=DECLARED), **headers)


async def followed(service: Service, method: str, task_id: str = "imp_1") -> httpx2.Response:
    more: dict[str, Any] = {"inputResponses": {}} if method == "tasks/update" else {}
    return await declaring(service, method, taskId=task_id, **more)


async def test_a_client_that_follows_tasks_gets_one_and_pays_for_it_once(service: Service) -> None:
    add_import(service.backends, "queued", message="Waits for a worker.")
    result = (await declaring(service, "tools/call", **IMPORT)).json()["result"]
    about = result.pop("_meta")
    assert about["sponsorgraph/quota"]["remaining"] == 999
    assert result == {
        "resultType": "task",
        "taskId": "imp_1",
        "status": "working",
        "statusMessage": "Waits for a worker.",
        "createdAt": "2026-11-21T12:00:00Z",
        "lastUpdatedAt": "2026-11-21T12:00:00Z",
        "ttlMs": None,
        "pollIntervalMs": 2000,
    }
    for method in ("tasks/get", "tasks/update", "tasks/cancel"):
        assert (await followed(service, method)).status_code == 200
    assert await service.counted() == 1


async def test_requested_progress_does_not_hold_a_task_back(service: Service) -> None:
    add_import(service.backends)
    message = request("tools/call", **IMPORT, _meta=DECLARED | {"progressToken": 1})
    headers = {"mcp_protocol_version": STATELESS, "mcp_method": "tools/call"}
    reply = await service.post(message, accept=BOTH, mcp_name="channel.import", **headers)
    assert reply.json()["result"]["resultType"] == "task"


async def test_other_clients_get_the_status_as_ever(service: Service) -> None:
    add_import(service.backends)
    plain = (await post_stateless(service, "tools/call", **IMPORT)).json()["result"]
    session_based = (await service.call("channel.import", IMPORT["arguments"])).json()
    for result in (plain, session_based["result"]):
        assert result["structuredContent"]["state"] == "running"
        assert "taskId" not in result
    assert plain["resultType"] == "complete"


async def test_tools_that_run_no_tasks_respond_as_ever(service: Service) -> None:
    result = (await declaring(service, "tools/call", name="category.list")).json()["result"]
    assert result["resultType"] == "complete"
    assert result["structuredContent"]["categories"]


async def test_an_import_that_has_ended_before_returns_at_once(service: Service) -> None:
    add_import(service.backends, "done")
    result = (await declaring(service, "tools/call", **IMPORT)).json()["result"]
    assert (result["resultType"], result["structuredContent"]["state"]) == ("complete", "done")


async def test_a_call_that_is_refused_becomes_no_task(service: Service) -> None:
    service.backends.access.used = 1000
    result = (await declaring(service, "tools/call", **IMPORT)).json()["result"]
    assert (result["resultType"], result["isError"]) == ("complete", True)
    assert result["structuredContent"]["error"]["code"] == "quota_exceeded"


@pytest.mark.parametrize("state", ["done", "failed"])
async def test_a_task_that_has_ended_brings_what_the_tool_would_have_said(
    service: Service, state: str
) -> None:
    now = add_import(service.backends)
    working = (await followed(service, "tasks/get")).json()["result"]
    assert (working["resultType"], working["status"]) == ("complete", "working")
    assert "50 of 100 videos" in working["statusMessage"]
    assert "result" not in working
    now.state, now.finished_at = state, "2026-11-21T12:30:00Z"
    ended = (await followed(service, "tasks/get")).json()["result"]
    assert (ended["status"], ended["lastUpdatedAt"]) == ("completed", "2026-11-21T12:30:00Z")
    reply = await service.call("channel.importStatus", {"import_id": "imp_1"})
    said = reply.json()["result"]
    assert ended["result"]["isError"] is (state == "failed")
    assert ended["result"]["structuredContent"] == said["structuredContent"]
    assert ended["result"]["content"] == said["content"]


async def test_cancelling_is_acknowledged_and_then_seen_as_often_as_it_is_done(
    service: Service,
) -> None:
    add_import(service.backends)
    for _ in range(2):
        cancelled = (await followed(service, "tasks/cancel")).json()["result"]
        assert cancelled.keys() == {"resultType", "_meta"}
        assert cancelled["resultType"] == "complete"
        assert (await followed(service, "tasks/get")).json()["result"]["status"] == "cancelled"


async def test_replies_that_nobody_waits_for_are_acknowledged(service: Service) -> None:
    add_import(service.backends)
    replies = {"some question": {"action": "accept"}}
    reply = await declaring(service, "tasks/update", taskId="imp_1", inputResponses=replies)
    assert reply.json()["result"].keys() == {"resultType", "_meta"}


@METHODS
async def test_another_accounts_task_is_unknown(service: Service, method: str) -> None:
    add_import(service.backends)
    assert (await followed(service, method)).status_code == 200
    theirs = service.backends.imports
    theirs["account-2", "imp_2"] = theirs.pop(("account-1", "imp_1"))
    for task_id in ("imp_1", "imp_2", "no such task", "t\u00e2che"):
        assert code_of(await followed(service, method, task_id)) == (400, -32602)


@METHODS
async def test_a_client_that_has_not_declared_the_extension_learns_that_it_is_missing(
    service: Service, method: str
) -> None:
    add_import(service.backends)
    headers = {"mcp_protocol_version": STATELESS, "mcp_method": method, "mcp_name": "unknown"}
    reply = await service.post(request(method, taskId="unknown", _meta=META), **headers)
    assert code_of(reply) == (400, -32021)
    needed = reply.json()["error"]["data"]["requiredCapabilities"]
    assert needed == {"extensions": {EXTENSION: {}}}


@METHODS
async def test_the_name_in_the_header_is_the_task(service: Service, method: str) -> None:
    add_import(service.backends)
    message = request(method, taskId="imp_1", inputResponses={}, _meta=DECLARED)
    headers = {"mcp_protocol_version": STATELESS, "mcp_method": method}
    assert code_of(await service.post(message, **headers)) == (400, -32020)
    assert code_of(await service.post(message, mcp_name="imp_2", **headers)) == (400, -32020)


@pytest.mark.parametrize("method", ["tasks/list", "tasks/result"])
async def test_methods_of_the_earlier_tasks_are_unknown(service: Service, method: str) -> None:
    reply = await declaring(service, method, taskId="imp_1")
    assert code_of(reply) == (404, -32601)


@METHODS
async def test_session_clients_have_no_tasks(service: Service, method: str) -> None:
    reply = await service.post(request(method, taskId="imp_1"), mcp_protocol_version="2025-11-25")
    assert code_of(reply) == (200, -32601)


async def test_the_extension_is_announced_where_it_is_served(service: Service) -> None:
    capabilities = (await post_stateless(service, "server/discover")).json()["result"][
        "capabilities"
    ]
    assert capabilities["extensions"][EXTENSION] == {}
    assert "tasks" not in capabilities
    session_based = (await initialize(service)).json()["result"]["capabilities"]
    assert EXTENSION not in session_based["extensions"]


@pytest.mark.parametrize("replies", [None, [], {"a": 1}, {"a": {}, "b": None}])
async def test_replies_that_are_none_are_refused(service: Service, replies: Any) -> None:
    add_import(service.backends)
    reply = await declaring(service, "tasks/update", taskId="imp_1", inputResponses=replies)
    assert code_of(reply) == (400, -32602)
    assert "inputResponses" in reply.json()["error"]["message"]


async def test_an_id_that_is_no_string_is_refused(service: Service) -> None:
    headers = {"mcp_protocol_version": STATELESS, "mcp_method": "tasks/get"}
    reply = await service.post(request("tasks/get", _meta=DECLARED), **headers)
    assert code_of(reply) == (400, -32602)


@METHODS
async def test_a_task_needs_the_scope_of_its_import(service: Service, method: str) -> None:
    add_import(service.backends)
    service.backends.access.give(KEY, principal(scopes=("catalog:read",)))
    reply = await followed(service, method)
    assert reply.status_code == 403
    assert 'scope="catalog:read channels:import"' in reply.headers["www-authenticate"]


async def test_a_plan_without_imports_has_no_tasks_of_them(service: Service) -> None:
    add_import(service.backends)
    service.backends.access.give(KEY, principal(features=()))
    reply = await followed(service, "tasks/get")
    assert code_of(reply) == (200, 403)
    error = reply.json()["error"]
    assert error["data"]["code"] == "plan_required"
    assert "/plans" in error["message"]


async def test_polling_too_often_is_refused_with_a_time_to_wait(service: Service) -> None:
    add_import(service.backends)
    service.backends.access.give(KEY, principal(burst_requests=2, burst_refill_per_second=0.001))
    codes = [
        (await followed(service, "tasks/get")).json().get("error", {}).get("data", {}).get("code")
        for _ in range(3)
    ]
    assert codes == [None, None, "rate_limited"]
    assert await service.counted() == 0


async def test_a_worker_that_is_away_is_reported_as_such(service: Service) -> None:
    service.backends.catalog_error = Unavailable("The import worker is away.", retry_after=1)
    error = (await followed(service, "tasks/get")).json()["error"]
    assert error["data"]["code"] == "unavailable"


async def test_a_stream_reports_a_task_until_it_has_ended(
    backends: Backends, fresh_valkey: str
) -> None:
    now = add_import(backends)
    backends.import_steps = [now]
    filters = {"taskIds": ["imp_1", "imp_2", "imp_1"], "toolsListChanged": True}
    async with (
        gateway_on_socket(backends, fresh_valkey) as (web, url),
        listening_to(url, filters, DECLARED) as events,
    ):
        acknowledged = (await anext(events))["params"]
        assert acknowledged["notifications"] == {"toolsListChanged": True, "taskIds": ["imp_1"]}
        first = await anext(events)
        now.videos_seen = 75
        second = await anext(events)
        now.state = "done"
        last = await anext(events)
        web.end_streams()
        assert "result" in await anext(events)
    notifications = [first, second, last]
    assert {item["method"] for item in notifications} == {"notifications/tasks"}
    assert [item["params"]["status"] for item in notifications] == [
        "working",
        "working",
        "completed",
    ]
    assert "75 of 100 videos" in second["params"]["statusMessage"]
    assert last["params"]["result"]["structuredContent"]["videos_seen"] == 75
    for item in notifications:
        validator("tasks", "TaskStatusNotification").validate(item)
        assert item["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == "my stream"


async def test_a_stream_goes_on_once_the_worker_is_back(
    backends: Backends, fresh_valkey: str
) -> None:
    backends.import_steps = [add_import(backends)]
    tried: list[object] = []

    async def away() -> None:
        tried.append(None)
        raise Unavailable("The import worker is away.")

    async with gateway_on_socket(backends, fresh_valkey) as (_, url):
        backends.before_response = away
        async with listening_to(url, {"taskIds": ["imp_1"]}, DECLARED) as events:
            assert (await anext(events))["params"]["notifications"] == {"taskIds": ["imp_1"]}
            assert (await anext(events))["params"]["status"] == "working"

            async def tried_again() -> bool:
                return len(tried) > 2

            await until(tried_again)
            backends.before_response = None
            backends.imports["account-1", "imp_1"].state = "cancelled"
            assert (await anext(events))["params"]["status"] == "cancelled"


async def test_a_plan_that_loses_imports_loses_the_news_of_them(
    backends: Backends, fresh_valkey: str
) -> None:
    now = add_import(backends)
    backends.import_steps = [now]
    filters = {"taskIds": ["imp_1"], "toolsListChanged": True}
    async with (
        gateway_on_socket(backends, fresh_valkey) as (web, url),
        listening_to(url, filters, DECLARED) as events,
    ):
        await anext(events)
        assert (await anext(events))["method"] == "notifications/tasks"
        backends.access.give(KEY, principal(features=()))
        assert (await anext(events))["method"] == "notifications/tools/list_changed"
        now.state = "done"
        looks = backends.access.resolved

        async def resolved_again() -> bool:
            return backends.access.resolved > looks + 3

        await until(resolved_again)
        web.end_streams()
        assert "result" in await anext(events)


async def test_subscribing_too_often_is_refused(backends: Backends, fresh_valkey: str) -> None:
    add_import(backends)
    backends.access.give(KEY, principal(burst_requests=2, burst_refill_per_second=0.001))
    filters = {"taskIds": ["imp_1", "imp_2", "imp_3"]}
    async with (
        gateway_on_socket(backends, fresh_valkey) as (_, url),
        listening_to(url, filters, DECLARED) as events,
    ):
        assert (await anext(events))["error"]["data"]["code"] == "rate_limited"


@pytest.mark.parametrize(
    ("task_ids", "meta", "code"),
    [
        (["imp_1"], META, -32021),
        ("imp_1", DECLARED, -32602),
        ([1], DECLARED, -32602),
        ([f"imp_{number}" for number in range(21)], DECLARED, -32602),
    ],
)
async def test_a_filter_of_tasks_that_is_none_is_refused(
    backends: Backends, fresh_valkey: str, task_ids: Any, meta: Any, code: int
) -> None:
    async with (
        gateway_on_socket(backends, fresh_valkey) as (_, url),
        listening_to(url, {"taskIds": task_ids}, meta) as events,
    ):
        assert (await anext(events))["error"]["code"] == code
