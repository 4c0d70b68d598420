"""Imports as tasks, and tasks as messages."""

from datetime import timedelta
from typing import Any

import msgspec
import pytest

from gateway.domain.errors import InsufficientScope, PlanRequired
from gateway.domain.import_tasks import ImportTasks, import_task
from gateway.domain.tasks import Task, UnknownTask
from gateway.mcp.jsonrpc import INTERNAL_ERROR
from gateway.mcp.methods.tasks import detailed
from gateway.mcp.results import created_task
from servicekit.errors import NotFound, Unavailable
from tests.fakes.gateway_ports import NOW, FakeImports, import_status, principal
from tests.fakes.wire import validator

LATER = NOW + timedelta(minutes=5)
SURE: dict[str, Any] = {"type": "object", "properties": {"sure": {"type": "boolean"}}}


@pytest.mark.parametrize(
    ("state", "status"),
    [
        ("queued", "working"),
        ("running", "working"),
        ("waiting", "working"),
        ("done", "completed"),
        ("failed", "completed"),
        ("cancelled", "cancelled"),
        ("some state that is to come", "working"),
    ],
)
def test_every_state_of_an_import_is_a_status(state: str, status: str) -> None:
    assert import_task(import_status(state=state)).status == status


def test_a_task_is_named_as_its_import() -> None:
    assert import_task(import_status(import_id="imp_7")).task_id == "imp_7"


def test_a_running_import_reports_its_progress_and_any_other_its_reason_to_wait() -> None:
    running = import_task(import_status(state="running", videos_seen=1_200, videos_total=3_000))
    assert running.message == "Example: 1,200 of 3,000 videos read, 0 sponsorships found"
    waiting = import_task(import_status(state="waiting", message="YouTube rests."))
    assert waiting.message == "YouTube rests."
    assert waiting.poll_ms > running.poll_ms


def test_a_done_import_brings_its_status_and_a_failed_one_the_same_as_an_error() -> None:
    for state, is_error in (("done", False), ("failed", True)):
        found = import_status(state=state, finished_at=LATER)
        task = import_task(found)
        assert (task.result, task.is_error, task.updated_at) == (found, is_error, LATER)
    assert import_task(import_status(state="cancelled")).result is None


def test_a_task_is_as_new_as_the_last_thing_known_of_it() -> None:
    assert import_task(import_status()).updated_at == NOW
    assert import_task(import_status(started_at=LATER)).updated_at == LATER


async def test_an_import_is_requested_in_the_name_of_the_account() -> None:
    imports = FakeImports(steps=[import_status()])
    tasks = ImportTasks(imports)
    named = {"account_id": "account-1", "import_id": "imp_1"}
    assert (await tasks.get(principal(), "imp_1")).task_id == "imp_1"
    await tasks.cancel(principal(), "imp_1")
    await tasks.update(principal(), "imp_1", {"no question": {}})
    assert [task.status async for task in tasks.watch(principal(), "imp_1")] == ["working"]
    assert imports.requests == [
        ("GetImport", named),
        ("CancelImport", named),
        ("GetImport", named),
        ("watch", named),
    ]


async def _refused_in_every_way(
    tasks: ImportTasks, task_id: str, refusal: type[Exception], **changes: Any
) -> None:
    caller = principal(**changes)
    for call in (
        tasks.get(caller, task_id),
        tasks.cancel(caller, task_id),
        tasks.update(caller, task_id, {}),
        anext(tasks.watch(caller, task_id)),
    ):
        with pytest.raises(refusal):
            await call


@pytest.mark.parametrize(
    ("changes", "refusal"),
    [({"scopes": ("catalog:read",)}, InsufficientScope), ({"features": ()}, PlanRequired)],
)
async def test_a_task_needs_scope_and_plan_of_its_import(
    changes: Any, refusal: type[Exception]
) -> None:
    imports = FakeImports(steps=[import_status()])
    await _refused_in_every_way(ImportTasks(imports), "imp_1", refusal, **changes)
    assert imports.requests == []


@pytest.mark.parametrize("task_id", ["i" * 101, "imp_\0", "imp_é", "imp\n1"])
async def test_an_id_that_is_none_of_ours_makes_no_call(task_id: str) -> None:
    imports = FakeImports(steps=[import_status()])
    await _refused_in_every_way(ImportTasks(imports), task_id, UnknownTask)
    assert imports.requests == []


async def test_an_unknown_import_is_an_unknown_task_and_other_errors_stay() -> None:
    imports = FakeImports(error=NotFound("You have no import.", "IMPORT_NOT_FOUND"))
    with pytest.raises(UnknownTask, match="imp_1"):
        await ImportTasks(imports).get(principal(), "imp_1")
    imports.error = Unavailable("The worker is away.")
    with pytest.raises(Unavailable):
        await ImportTasks(imports).get(principal(), "imp_1")


def test_a_created_task_brings_no_result_even_if_it_has_ended() -> None:
    created = created_task(import_task(import_status(state="done")))
    assert created["resultType"] == "task"
    assert created.keys() == {
        "resultType",
        "taskId",
        "status",
        "statusMessage",
        "createdAt",
        "lastUpdatedAt",
        "ttlMs",
        "pollIntervalMs",
    }


def test_a_task_brings_what_belongs_to_its_status_and_nothing_else() -> None:
    form = {"mode": "form", "message": "Sure?", "requestedSchema": SURE}
    input_requests: dict[str, Any] = {"sure": {"method": "elicitation/create", "params": form}}
    facts: dict[str, Any] = {
        "result": {"a": 1},
        "fault": "Broke.",
        "input_requests": input_requests,
    }

    def more(status: Any) -> dict[str, Any]:
        task = detailed(Task("t", status, "Words.", NOW, NOW, 100, **facts))
        sent = msgspec.json.decode(msgspec.json.encode({"resultType": "complete", **task}))
        validator("tasks", "GetTaskResult").validate(sent)
        return {key: sent[key] for key in ("result", "error", "inputRequests") if key in sent}

    assert more("working") == more("cancelled") == {}
    assert more("failed") == {"error": {"code": INTERNAL_ERROR, "message": "Broke."}}
    assert more("input_required") == {"inputRequests": input_requests}
    completed = more("completed")
    assert completed.keys() == {"result"}
    assert completed["result"]["content"] == [{"type": "text", "text": '{"a":1}'}]
    assert (completed["result"]["isError"], completed["result"]["resultType"]) == (
        False,
        "complete",
    )
