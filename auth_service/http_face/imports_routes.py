"""The page of channel imports, with a list that brings itself up to date while one is running."""

from typing import Any

from starlette.responses import Response
from starlette.routing import Route

from auth_service.domain.plans import CHANNEL_IMPORT
from auth_service.domain.site.imports import ChannelImport, WantedImport
from auth_service.http_face.site import Site
from auth_service.http_face.visits import Needs, Visit, get, post, status_of
from servicekit.errors import ServiceError


def routes(site: Site) -> list[Route]:
    """The page, its list alone, and what its forms do."""
    return [
        get(site, "/account/imports", _page, Needs.VISITOR),
        get(site, "/account/imports/list", _list, Needs.VISITOR),
        post(site, "/account/imports", _start, Needs.VISITOR),
        post(site, "/account/imports/cancel", _cancel, Needs.VISITOR),
    ]


async def _page(visit: Visit) -> Response:
    return await _shown(visit, "imports.html")


async def _list(visit: Visit) -> Response:
    return await _shown(visit, "imports_list.html")


async def _start(visit: Visit) -> Response:
    wanted = WantedImport(
        visit.value("channel").strip(), visit.value("since"), visit.value("max_videos").strip()
    )
    try:
        await visit.site.imports.start(visit.who, wanted)
    except ServiceError as error:
        typed = {name: getattr(wanted, name) for name in WantedImport.__dataclass_fields__}
        return await _shown(
            visit, "imports.html", status_of(error), error=error.public_message, **typed
        )
    return visit.go("/account/imports")


async def _cancel(visit: Visit) -> Response:
    await visit.site.imports.cancel(visit.who, visit.value("import_id"))
    return visit.go("/account/imports")


async def _shown(visit: Visit, template: str, status: int = 200, **shown: Any) -> Response:
    plan = visit.site.own_account.plan(visit.who)
    imports = await visit.site.imports.list(visit.who)
    return visit.page(
        template,
        status,
        plan_has_import=plan.has(CHANNEL_IMPORT),
        imports=[_row(one) for one in imports],
        running=any(one.is_running for one in imports),
        **shown,
    )


def _row(one: ChannelImport) -> dict[str, Any]:
    fields = {name: getattr(one, name) for name in ChannelImport.__dataclass_fields__}
    return fields | {"percent": one.percent, "brands": [brand.name for brand in one.brands]}
