"""No page waits for a part that hangs: after its deadline the page says so, or does without.

A proxy passes nothing on, as a firewall that drops packets: connections stay open, and nobody answers.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Final

import httpx2
import pytest

from auth_service import app
from catalog_service import MIGRATIONS as CATALOG_MIGRATIONS
from devstack.ports import free_port
from tests.clients.person import Person
from tests.databases import Databases
from tests.faults.slow_proxy import SlowProxy
from tests.integration.auth_service.conftest import Service, running, settings_of
from tests.integration.catalog_service.conftest import new_settings, running_catalog

WITHIN_SECONDS: Final = 6.0
"""The deadline of 3 s, and what a busy machine adds to it. What waited before the deadline waited for 10 s and more."""

OF_GATEWAY: Final = (
    "/explore?q=nordvpn",
    "/explore/sponsors/nordvpn",
    "/explore/sponsors/nordvpn/youtubers",
    "/explore/youtubers/ada",
    "/explore/rankings?kind=sponsors",
    "/explore/compare?brands=nordvpn&brands=surfshark",
    "/explore/categories/security",
    "/console",
)
OF_CATALOG: Final = ("/account/lists", "/account/list?list=list_1", "/account/reports")
OF_IMPORTS: Final = (
    "/account/imports",
    "/account/imports/list",
    "/account/imports/bulk",
    "/account/imports/bulk/channels?id=bulk_1",
    "/account/imports/following",
)
FORMS_OF_IMPORTS: Final = (
    ("/account/imports", {"channel": "@example"}, 6.0),
    ("/account/imports/following", {"channel": "@example"}, 6.0),
    ("/account/imports/bulk", {"channels": "@example"}, 3.0),
    ("/account/imports/cancel", {"import_id": "import_1"}, 3.0),
    ("/account/imports/following/end", {"channel": "UC" + "x" * 22}, 3.0),
    ("/account/imports/bulk/cancel", {"bulk_import_id": "bulk_1"}, 3.0),
)
"""Forms with their deadlines: what starts an import reads the channel from YouTube first."""
FORMS_OF_LISTS: Final[tuple[tuple[str, dict[str, str], str], ...]] = (
    ("/account/lists", {"name": "Mine", "type": "sponsor", "names": ""}, "/account/lists"),
    ("/account/lists/add", {"names": "azura"}, "/account/list?list=list_1"),
    ("/account/lists/remove", {"entry": "sp_1"}, "/account/list?list=list_1"),
    ("/account/lists/rename", {"name": "Ours"}, "/account/list?list=list_1"),
    ("/account/lists/delete", {}, "/account/lists"),
)
"""Forms, and where one sees what came of them."""
OF_NOTHING: Final = (
    "/",
    "/plans",
    "/explore",
    "/account",
    "/account/keys",
    "/account/apps",
    "/account/alerts",
    "/account/sessions",
    "/account/security",
    "/account/settings",
    "/account/two-factor",
    "/account/organisations",
)
"""Pages that need no other part, or only for what may be missing on them."""


@dataclass(slots=True)
class Installation:
    """The site, somebody who is logged in, and the proxies before the parts that it calls."""

    service: Service
    person: Person
    parts: dict[str, SlowProxy]

    async def get(self, path: str) -> httpx2.Response:
        """Return a page that comes in time.

        Raises:
            TimeoutError: It does not.
        """
        async with asyncio.timeout(WITHIN_SECONDS):
            return await self.person.client.get(path)


@pytest.fixture(scope="module")
async def installation(
    databases: Databases,
    fresh_database: Callable[[], str],
    valkey_url: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncGenerator[Installation]:
    folder = tmp_path_factory.mktemp("mails")
    settings = settings_of(fresh_database(), valkey_url, folder)
    async with AsyncExitStack() as stack:
        made = running_catalog(new_settings(databases.migrated(CATALOG_MIGRATIONS)))
        catalog = await stack.enter_async_context(made)
        parts: dict[str, SlowProxy] = {}
        for name, target in (
            ("gateway", f"127.0.0.1:{free_port()}"),
            ("catalog", catalog.target),
            ("imports", catalog.target),  # connected as to a worker; what it answers is never read
            ("valkey", _address(valkey_url)),
            ("postgres", _address(settings.database_url)),
        ):
            proxy = SlowProxy(free_port(), target)
            parts[name] = await stack.enter_async_context(proxy.listening())
        changed = settings.model_copy(
            update={
                "gateway_url": f"http://{parts['gateway'].address}/mcp",
                "catalog_target": parts["catalog"].address,
                "imports_target": parts["imports"].address,
                "database_url": settings.database_url.replace(
                    _address(settings.database_url), parts["postgres"].address
                ),
                "valkey_url": valkey_url.replace(_address(valkey_url), parts["valkey"].address),
            }
        )
        service = await stack.enter_async_context(running(changed, app.now))
        yield Installation(service, await service.person(), parts)


def _address(url: str) -> str:
    return httpx2.URL(url).netloc.decode().rpartition("@")[2]


@pytest.mark.parametrize(
    ("part", "path"),
    [
        *(("gateway", path) for path in OF_GATEWAY),
        *(("catalog", path) for path in OF_CATALOG),
        *(("imports", path) for path in OF_IMPORTS),
    ],
)
async def test_a_page_says_that_its_part_does_not_respond(
    installation: Installation, part: str, path: str
) -> None:
    async with installation.parts[part].silent():
        page = await installation.get(path)
    assert page.status_code == 503, page.text
    assert re.search("does not (answer|respond)|no answer within 3 seconds", page.text)
    assert page.headers["retry-after"]


@pytest.mark.parametrize(("path", "fields", "deadline"), FORMS_OF_IMPORTS)
async def test_a_form_says_in_time_that_its_outcome_is_not_known_and_where_to_look(
    installation: Installation, path: str, fields: dict[str, str], deadline: float
) -> None:
    visitor = Person(str(installation.person.client.base_url))
    await visitor.log_in(await installation.service.account("creator"))
    await visitor.visit("/account/keys")
    csrf = dict(visitor.form("/logout").fields)["csrf"]
    async with installation.parts["imports"].silent():
        async with asyncio.timeout(deadline + WITHIN_SECONDS / 2):
            page = await visitor.client.post(path, data={"csrf": csrf, **fields})
    assert page.status_code == 503, page.text
    assert "did not respond in time. It is not known whether" in page.text
    assert page.headers["retry-after"]
    list_path = path.removesuffix("/cancel").removesuffix("/end")
    assert f'<a class="button quiet" href="{list_path}">See your' in page.text


@pytest.mark.parametrize(("path", "fields", "link"), FORMS_OF_LISTS)
async def test_a_form_of_lists_says_in_time_that_its_outcome_is_not_known(
    installation: Installation, path: str, fields: dict[str, str], link: str
) -> None:
    visitor = Person(str(installation.person.client.base_url))
    await visitor.log_in(await installation.service.account("creator"))
    await visitor.visit("/account/keys")
    form = {"csrf": dict(visitor.form("/logout").fields)["csrf"], "list": "list_1", **fields}
    async with installation.parts["catalog"].silent(), asyncio.timeout(WITHIN_SECONDS):
        page = await visitor.client.post(path, data=form)
    assert page.status_code == 503, page.text
    assert "did not respond in time. It is not known whether the list is changed" in page.text
    assert f'<a class="button quiet" href="{link}">See ' in page.text


@pytest.mark.parametrize("path", OF_NOTHING)
async def test_a_page_that_can_do_without_a_part_does(
    installation: Installation, path: str
) -> None:
    async with AsyncExitStack() as stack:
        for name in ("gateway", "catalog", "imports", "valkey"):
            await stack.enter_async_context(installation.parts[name].silent())
        page = await installation.get(path)
    assert page.status_code == 200, page.text


@pytest.mark.parametrize("path", [OF_GATEWAY[1], "/explore/suggestions?q=nord"])
async def test_stored_results_are_not_waited_for_long(
    installation: Installation, path: str
) -> None:
    async with (
        installation.parts["valkey"].silent(),
        installation.parts["gateway"].silent(),
    ):
        page = await installation.get(path)
    assert page.status_code in (200, 503)


async def test_a_page_says_that_the_database_is_silent_and_is_back_with_it(
    installation: Installation,
) -> None:
    async with installation.parts["postgres"].silent():
        page = await installation.get("/account")
    assert page.status_code == 503
    assert "does not answer now" in page.text
    assert page.headers["retry-after"]
    assert (await installation.get("/account")).status_code == 200
