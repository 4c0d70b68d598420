"""The site's page of imports, with an import worker over gRPC."""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

import grpc.aio
import pytest

from auth_service import app
from auth_service.settings import AuthSettings
from devstack.ports import free_port
from protos.imports.v1 import imports_pb2 as pb
from protos.imports.v1 import imports_pb2_grpc as pb_grpc
from servicekit.errors import InvalidInput, NotFound, ResourceExhausted
from servicekit.grpc import server as grpc_server
from servicekit.settings import GrpcServerSettings
from tests.clients.person import Person
from tests.fakes.peers import GRPC_TOKEN
from tests.integration.auth_service.conftest import Service


@dataclass(slots=True)
class Worker:
    """An import worker that records its requests; an account sees only its own imports."""

    imports: list[tuple[str, pb.ImportStatus]] = field(
        default_factory=list[tuple[str, pb.ImportStatus]]
    )
    requests: list[pb.StartImportRequest] = field(default_factory=list[pb.StartImportRequest])
    refusal: Exception | None = None

    async def StartImport(self, request: pb.StartImportRequest, _context: Any) -> pb.ImportStatus:  # noqa: N802
        self.requests.append(request)
        if self.refusal is not None:
            raise self.refusal
        made = pb.ImportStatus(
            import_id=secrets.token_hex(4),
            channel_id="UC" + "x" * 22,
            channel_title="<b>Example</b>",
            state="running",
            message="Reading videos.",
            videos_seen=50,
            videos_total=200,
            sponsorships=3,
            brands=[pb.FoundBrand(slug="nordvpn", name="NordVPN", videos=2)],
            created_at="2026-11-21T12:00:00Z",
        )
        self.imports.append((request.account_id, made))
        return made

    async def ListImports(self, request: pb.ListImportsRequest, _context: Any) -> pb.ImportPage:  # noqa: N802
        return pb.ImportPage(imports=[o for a, o in self.imports if a == request.account_id])

    async def CancelImport(self, request: pb.ImportRequest, _context: Any) -> pb.ImportStatus:  # noqa: N802
        for account_id, channel_import in self.imports:
            if (account_id, channel_import.import_id) == (request.account_id, request.import_id):
                channel_import.state = "cancelled"
                return channel_import
        raise NotFound("There is no such import.")


@pytest.fixture
async def worker() -> AsyncGenerator[tuple[Worker, str]]:
    servicer = Worker()

    def register(server: grpc.aio.Server) -> str:
        known = {
            name: getattr(servicer, name) for name in ("StartImport", "ListImports", "CancelImport")
        }
        unrequested = {"GetImport": None, "WatchImport": None, "RetryImport": None}
        pb_grpc.add_ImportsServicer_to_server(
            cast("Any", SimpleNamespace(**known, **unrequested)), server
        )
        return "sponsorgraph.imports.v1.Imports"

    settings = GrpcServerSettings(grpc_port=0, grpc_token=GRPC_TOKEN, shutdown_grace_seconds=0)
    async with grpc_server.serve_grpc(settings, register) as port:
        yield servicer, f"127.0.0.1:{port}"


@pytest.fixture
async def site_url(auth_settings: AuthSettings, worker: tuple[Worker, str]) -> AsyncGenerator[str]:
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    changes = {"http_port": port, "site_url": url, "imports_target": worker[1]}
    async with app.serve(auth_settings.model_copy(update=changes)):
        yield url


async def person(service: Service, site_url: str, plan: str = "creator") -> Person:
    visitor = Person(site_url)
    visitor.email = await service.account(plan)
    await visitor.log_in(visitor.email)
    await visitor.visit("/account/imports")
    return visitor


async def test_an_import_is_started_shown_with_its_bar_and_cancelled(
    service: Service, site_url: str, worker: tuple[Worker, str]
) -> None:
    visitor = await person(service, site_url)
    page = await visitor.submit(
        "/account/imports", channel="@example", since="2025-01-01", max_videos="200"
    )
    request = worker[0].requests[0]
    assert (request.channel, request.since, request.max_videos) == (
        "@example",
        "2025-01-01",
        200,
    )
    assert request.max_concurrent == 2
    assert 'value="25"' in page.text
    assert "50 of 200 videos read, 3 sponsorships" in page.text
    assert "NordVPN" in page.text
    assert "<b>Example" not in page.text
    assert 'hx-get="/account/imports/list"' in page.text
    await visitor.submit("/account/imports/cancel")
    fragment = await visitor.visit("/account/imports/list")
    assert "cancelled" in fragment.text
    assert "hx-get" not in fragment.text
    assert "<html" not in fragment.text


@pytest.mark.parametrize(
    ("refusal", "status"),
    [
        (InvalidInput("That names no channel."), 400),
        (NotFound("There is no such channel."), 404),
        (ResourceExhausted("Two imports are under way."), 429),
    ],
)
async def test_a_refused_import_is_shown_and_the_form_values_stay(
    service: Service,
    site_url: str,
    worker: tuple[Worker, str],
    refusal: Exception,
    status: int,
) -> None:
    worker[0].refusal = refusal
    visitor = await person(service, site_url)
    page = await visitor.submit("/account/imports", channel="@nowhere", max_videos="7")
    assert page.status_code == status
    assert str(refusal) in page.text
    assert 'value="@nowhere"' in page.text
    assert 'value="7"' in page.text


async def test_a_free_account_is_shown_why_it_has_no_imports(
    service: Service, site_url: str, worker: tuple[Worker, str]
) -> None:
    visitor = await person(service, site_url, "free")
    assert visitor.page
    assert "has no channel imports" in visitor.page.text
    csrf = dict(visitor.form("/logout").fields)["csrf"]
    forced = await visitor.client.post("/account/imports", data={"csrf": csrf, "channel": "@x"})
    assert forced.status_code == 403
    assert worker[0].requests == []


async def test_an_import_of_somebody_else_cannot_be_cancelled(
    service: Service, site_url: str, worker: tuple[Worker, str]
) -> None:
    owner, other = await person(service, site_url), await person(service, site_url)
    await owner.submit("/account/imports", channel="@example", max_videos="")
    import_id = worker[0].imports[0][1].import_id
    await other.submit("/account/imports", channel="@other", max_videos="")
    refused = await other.submit("/account/imports/cancel", import_id=import_id)
    assert refused.status_code == 404
    assert worker[0].imports[0][1].state == "running"


async def test_without_a_worker_the_page_says_that_there_is_nothing(service: Service) -> None:
    visitor = await service.person()
    page = await visitor.visit("/account/imports")
    assert page.status_code == 200
    assert "have not imported" in page.text
