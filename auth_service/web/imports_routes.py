"""The page of channel imports, with a list that brings itself up to date while one is running."""

from typing import Any

from starlette.responses import Response
from starlette.routing import Route

from auth_service.domain.plans import CHANNEL_IMPORT
from auth_service.domain.site.imports import ChannelImport, ImportForm
from auth_service.web.page_request import Needs, PageRequest, get, post, status_of
from auth_service.web.site import Site
from servicekit.errors import ServiceError


def routes(site: Site) -> list[Route]:
    """The page, its list alone, and what its forms do."""
    return [
        get(site, "/account/imports", _page, Needs.VISITOR),
        get(site, "/account/imports/list", _list, Needs.VISITOR),
        post(site, "/account/imports", _start, Needs.VISITOR),
        post(site, "/account/imports/cancel", _cancel, Needs.VISITOR),
    ]


async def _page(page: PageRequest) -> Response:
    return await _shown(page, "imports.html")


async def _list(page: PageRequest) -> Response:
    return await _shown(page, "imports_list.html")


async def _start(page: PageRequest) -> Response:
    wanted = ImportForm(
        page.value("channel").strip(), page.value("since"), page.value("max_videos").strip()
    )
    try:
        await page.site.imports.start(page.who, wanted)
    except ServiceError as error:
        typed = {name: getattr(wanted, name) for name in ImportForm.__dataclass_fields__}
        return await _shown(
            page, "imports.html", status_of(error), error=error.public_message, **typed
        )
    return page.go("/account/imports")


async def _cancel(page: PageRequest) -> Response:
    await page.site.imports.cancel(page.who, page.value("import_id"))
    return page.go("/account/imports")


async def _shown(page: PageRequest, template: str, status: int = 200, **shown: Any) -> Response:
    plan = page.site.own_account.plan(page.who)
    imports = await page.site.imports.list(page.who)
    return page.page(
        template,
        status,
        plan_has_import=plan.has(CHANNEL_IMPORT),
        imports=[_row(item) for item in imports],
        running=any(item.is_running for item in imports),
        **shown,
    )


def _row(one: ChannelImport) -> dict[str, Any]:
    fields = {name: getattr(one, name) for name in ChannelImport.__dataclass_fields__}
    return fields | {"percent": one.percent, "brands": [brand.name for brand in one.brands]}
