"""The console: call a tool from a form, and see its answer as programs, AIs and people do."""

import json
from typing import Any, Final

from jinja2.utils import htmlsafe_json_dumps
from starlette.responses import Response
from starlette.routing import Route

from auth_service.domain.explore import console
from auth_service.domain.explore.calls import ToolCall, ToolCallError
from auth_service.domain.explore.console import ConsoleTool
from auth_service.domain.explore.pages import view_result
from auth_service.web import explore_filters as filters
from auth_service.web.explore_rendering import with_failures
from auth_service.web.page_request import Audience, PageRequest, get, http_status, post
from auth_service.web.site import Site
from servicekit.errors import InvalidInput, NotFound
from servicekit.web.views import VIEWS

_PREFIX: Final = "argument."


def routes(site: Site) -> list[Route]:
    """Return the routes of the console."""
    return [
        get(site, "/console", with_failures(_form), Audience.VISITOR),
        post(site, "/console", with_failures(_run), Audience.VISITOR),
    ]


async def _form(page: PageRequest) -> Response:
    tools = await _tools(page)
    tool = _chosen(tools, filters.text(page, "tool") or next(iter(tools), ""))
    return _render(page, tools, tool, {})


async def _run(page: PageRequest) -> Response:
    tools = await _tools(page)
    tool = _chosen(tools, page.value("tool"))
    values = {field.name: page.values(_PREFIX + field.name) for field in tool.fields}
    try:
        call = ToolCall(tool.name, console.arguments_of(tool, lambda name: values[name]))
    except InvalidInput as error:
        text = error.public_message
        return _render(page, tools, tool, values, http_status(error), error=text)
    url = page.site.pages.mcp_url
    called: dict[str, Any] = {
        "call": call,
        "snippets": [
            ("curl", "curl", console.as_curl(url, call)),
            ("python", "Python", console.as_python(url, call)),
            ("typescript", "TypeScript", console.as_typescript(url, call)),
        ],
    }
    try:
        results = await page.site.data.results.page(page.required_visitor, call)
    except ToolCallError as failure:
        text = failure.public_message
        return _render(page, tools, tool, values, failure.status, error=text, **called)
    result = results.main
    view = tool.view if tool.view in VIEWS else None
    return _render(
        page,
        tools,
        tool,
        values,
        **called,
        results=results,
        text=result.text,
        indented=json.dumps(result.content, indent=2, ensure_ascii=False),
        view=view,
        view_data=htmlsafe_json_dumps(
            {"input": call.arguments, "result": view_result(result.content)}
        ),
    )


async def _tools(page: PageRequest) -> dict[str, ConsoleTool]:
    """Return the tools of the visitor's plan by name."""
    results = page.site.data.results
    listed = await results.gateway.tools(results.token(page.required_visitor))
    tools = [console.tool_of(entry) for entry in listed]
    return {tool.name: tool for tool in tools}


def _chosen(tools: dict[str, ConsoleTool], name: str) -> ConsoleTool:
    tool = tools.get(name)
    if tool is None:
        raise NotFound("Your plan has no such tool.")
    return tool


def _render(
    page: PageRequest,
    tools: dict[str, ConsoleTool],
    tool: ConsoleTool,
    values: dict[str, Any],
    status: int = 200,
    **context: Any,
) -> Response:
    variables: dict[str, Any] = {
        "tools": list(tools.values()),
        "tool": tool,
        "values": values,
        "prefix": _PREFIX,
        "call": None,
        "results": None,
        "view": None,
        **context,
    }
    return page.render("console.html", status, page="explore", **variables)
