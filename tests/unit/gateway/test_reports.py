"""`sponsorship.report`: what it takes, what it needs, what it hands on."""

from typing import Any

import pytest

from gateway.domain.errors import InvalidArguments
from gateway.mcp.errors import tool_failure
from gateway.mcp.methods.tools_list import published
from gateway.quota.models import QuotaState
from gateway.tools import Backends, ToolCatalogue, ToolContext, all_tools
from servicekit.errors import ResourceExhausted
from tests.fakes.gateway_ports import RESET, SILENT, FakeAlerts, FakeCatalog, FakeImports, principal

REPORT = ToolCatalogue(all_tools()).find("sponsorship.report")


def test_a_sponsorship_stands_for_its_video_and_sponsor() -> None:
    REPORT.params.parse({"kind": "wrong", "sponsorship": "v_1.sp_2"})


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"kind": "wrong"}, "video"),
        ({"kind": "missing", "video": "v_1"}, "brand"),
        ({"video": "v_1"}, "kind"),
    ],
)
def test_an_error_names_its_first_field(arguments: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidArguments) as caught:
        REPORT.params.parse(arguments)
    assert caught.value.details["field"] == field


async def test_the_account_is_the_callers_own() -> None:
    catalog = FakeCatalog()
    backends = Backends(catalog, FakeImports(), FakeAlerts())
    quota = QuotaState(10, 9, RESET, RESET)
    context = ToolContext(principal(account_id="acc-7"), quota, backends, SILENT)
    arguments = {"video": "v_1", "kind": "wrong", "sponsor": "nordvpn", "note": None}
    await REPORT.run(REPORT.params.parse(arguments), context)
    sent = {"video": "v_1", "kind": "wrong", "sponsor": "nordvpn", "account_id": "acc-7"}
    assert catalog.requests == [("ReportSponsorship", sent)]


def test_an_account_cannot_be_named() -> None:
    with pytest.raises(InvalidArguments, match="`account_id` is not an argument"):
        REPORT.params.parse(
            {"video": "v_1", "kind": "wrong", "sponsor": "x", "account_id": "acc-8"}
        )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"kind": "wrong"}, "`sponsor` is required when `kind` is wrong, or `sponsorship`."),
        ({"kind": "missing", "sponsor": "x"}, "`brand` is required when `kind` is missing."),
        ({"kind": "wrong_kind", "sponsor": "x"}, "`proposed_kind` is required"),
        ({"kind": "wrong", "video": None}, "`video` is required, or `sponsorship`"),
        ({"kind": "missing", "sponsorship": "v_1.sp_2", "brand": "x"}, "names one that is listed"),
        ({"kind": "other"}, '`kind` was "other"; it must be one of'),
        ({"kind": "wrong", "sponsor": "x", "note": "n" * 501}, "1 to 500 characters"),
    ],
)
def test_a_missing_argument_is_named(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidArguments) as caught:
        REPORT.params.parse({"video": "v_1", **arguments})
    assert words in caught.value.public_message


def test_it_writes_once_and_says_so() -> None:
    annotations = published(REPORT)["annotations"]
    hints = {name: annotations[name] for name in annotations if name.endswith("Hint")}
    assert hints == {
        "readOnlyHint": False,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    }
    assert (REPORT.scope, REPORT.feature) == ("channels:import", "channel_import")


def test_too_many_reports_are_a_limit_and_no_fault_of_ours() -> None:
    failure = tool_failure(ResourceExhausted("20 wait.", "TOO_MANY_OPEN_REPORTS"), "https://x")
    assert (failure.code, failure.script.status) == ("limit_reached", 429)
