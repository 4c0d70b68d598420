"""The site's page of reports, with a catalog over gRPC."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Any

import grpc.aio
import pytest

from auth_service import app
from auth_service.settings import AuthSettings
from devstack.ports import free_port
from protos.catalog.v1 import catalog_pb2 as pb
from protos.catalog.v1 import catalog_pb2_grpc as pb_grpc
from servicekit.errors import InvalidInput, Unavailable
from servicekit.grpc import server as grpc_server
from servicekit.settings import GrpcServerSettings
from tests.clients.person import Person
from tests.fakes.peers import GRPC_TOKEN
from tests.integration.auth_service.conftest import Service


@dataclass(slots=True)
class FakeCatalog(pb_grpc.CatalogServicer):
    """A catalog that gives everybody the same reports, one to a page, and records who asked."""

    reports: list[pb.OwnReport] = field(default_factory=list[pb.OwnReport])
    accounts: list[str] = field(default_factory=list[str])
    refusal: Exception | None = None

    async def ListSavedLists(  # noqa: N802
        self,
        request: pb.AccountListsRequest,  # noqa: ARG002
        context: Any,  # noqa: ARG002
    ) -> pb.SavedLists:
        return pb.SavedLists()

    async def ListOwnReports(  # noqa: N802
        self,
        request: pb.OwnReportsRequest,
        context: Any,  # noqa: ARG002
    ) -> pb.OwnReportPage:
        self.accounts.append(request.account_id)
        if self.refusal is not None:
            raise self.refusal
        if request.cursor and not request.cursor.isdigit():
            raise InvalidInput("`cursor` is not one of these pages.")
        first = int(request.cursor or 0)
        following = str(first + 1) if first + 1 < len(self.reports) else None
        return pb.OwnReportPage(reports=self.reports[first : first + 1], next_cursor=following)


def report(number: int, **fields: Any) -> pb.OwnReport:
    decided = {name: fields.pop(name) for name in ("decided_at", "decision_note") if name in fields}
    video = pb.Video(
        id=f"vd_{number}",
        title=f"<i>Video</i> {number}",
        url="https://www.youtube.com/watch?v=x",
        published_at="2026-11-20",
        format="longform",
    )
    values: dict[str, Any] = {
        "state": "received",
        "kind": "missing",
        "created_at": "2026-11-21T12:00:00Z",
    } | fields
    return pb.OwnReport(report=pb.Report(id=f"rp_{number}", video=video, **values), **decided)


@pytest.fixture
async def catalog() -> AsyncGenerator[tuple[FakeCatalog, str]]:
    servicer = FakeCatalog()  # pyright: ignore[reportAbstractUsage]

    def register(server: grpc.aio.Server) -> str:
        pb_grpc.add_CatalogServicer_to_server(servicer, server)
        return "sponsorgraph.catalog.v1.Catalog"

    settings = GrpcServerSettings(grpc_port=0, grpc_token=GRPC_TOKEN, shutdown_grace_seconds=0)
    async with grpc_server.serve_grpc(settings, register) as port:
        yield servicer, f"127.0.0.1:{port}"


@pytest.fixture
async def site_url(
    auth_settings: AuthSettings, catalog: tuple[FakeCatalog, str]
) -> AsyncGenerator[str]:
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    changes = {"http_port": port, "site_url": url, "catalog_target": catalog[1]}
    async with app.serve(auth_settings.model_copy(update=changes)):
        yield url


async def person(service: Service, site_url: str, plan: str = "creator") -> Person:
    visitor = Person(site_url)
    visitor.email = await service.account(plan)
    await visitor.log_in(visitor.email)
    return visitor


async def test_each_report_has_its_state_and_the_reason_of_its_decision(
    service: Service, site_url: str, catalog: tuple[FakeCatalog, str]
) -> None:
    decided = {"decided_at": "2026-11-22T12:00:00Z"}
    states = {
        "received": report(1, brand="<b>Acme</b>", note="At 2:10."),
        "accepted and applied": report(2, state="applied", kind="wrong", **decided),
        "accepted": report(4, state="accepted", kind="wrong", **decided),
        "rejected": report(
            3, state="rejected", decision_note="The text <u>names</u> it.", **decided
        ),
    }
    visitor, page = await person(service, site_url), ""
    for shown, item in states.items():
        catalog[0].reports = [item]
        page = (await visitor.visit("/account/reports")).text
        badges = [name for name in states if f'">{name}</span>' in page]
        assert badges == [shown]
        assert "&lt;i&gt;Video&lt;/i&gt;" in page
        assert "<b>Acme" not in page
        assert "<u>names" not in page
    assert "The reviewer said: The text &lt;u&gt;names&lt;/u&gt; it." in page
    assert len(set(catalog[0].accounts)) == 1


async def test_a_report_that_a_later_one_replaced_names_it(
    service: Service, site_url: str, catalog: tuple[FakeCatalog, str]
) -> None:
    decided = {"state": "applied", "decided_at": "2026-11-22T12:00:00Z"}
    catalog[0].reports = [report(1, replaced_by="rp_9", **decided)]
    page = (await (await person(service, site_url)).visit("/account/reports")).text
    assert '<span class="badge ">accepted and applied, replaced since</span>' in page
    assert "A later decision, on report rp_9, replaced this one." in page


async def test_older_reports_are_on_further_pages(
    service: Service, site_url: str, catalog: tuple[FakeCatalog, str]
) -> None:
    catalog[0].reports = [report(2), report(1)]
    visitor = await person(service, site_url)
    first = (await visitor.visit("/account/reports")).text
    assert 'href="/account/reports?cursor=1"' in first
    assert ("rp_2" in first, "rp_1" in first) == (True, False)
    second = (await visitor.visit("/account/reports?cursor=1")).text
    assert ("rp_2" in second, "rp_1" in second) == (False, True)
    assert "cursor=" not in second
    wrong = await visitor.client.get("/account/reports?cursor=other")
    assert wrong.status_code == 400


async def test_the_export_has_the_reports_of_all_pages(
    service: Service, site_url: str, catalog: tuple[FakeCatalog, str]
) -> None:
    catalog[0].reports = [report(2), report(1)]
    document = (await (await person(service, site_url)).visit("/account/export")).json()
    assert [item["report"]["id"] for item in document["reports"]] == ["rp_2", "rp_1"]


async def test_reports_are_the_visitors_own_and_need_a_login(
    service: Service, site_url: str, catalog: tuple[FakeCatalog, str]
) -> None:
    first, second = await person(service, site_url), await person(service, site_url)
    await first.visit("/account/reports?account_id=other")
    await second.visit("/account/reports")
    assert len(set(catalog[0].accounts)) == 2
    assert "other" not in catalog[0].accounts
    anybody = await Person(site_url).client.get("/account/reports")
    assert anybody.status_code == 303
    assert len(catalog[0].accounts) == 2


async def test_who_has_none_reads_how_to_send_one_or_which_plan_can(
    service: Service, site_url: str
) -> None:
    creator = (await (await person(service, site_url)).visit("/account/reports")).text
    assert "You have not reported anything yet" in creator
    free = (await (await person(service, site_url, "free")).visit("/account/reports")).text
    assert "sends no reports" in free
    imports = (await (await person(service, site_url)).visit("/account/imports")).text
    assert 'href="/account/reports"' in imports


async def test_a_catalog_that_is_away_is_said(
    service: Service, site_url: str, catalog: tuple[FakeCatalog, str]
) -> None:
    catalog[0].refusal = Unavailable("away")
    visitor = await person(service, site_url)
    assert (await visitor.client.get("/account/reports")).status_code == 503
