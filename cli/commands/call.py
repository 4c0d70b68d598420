"""`sponsorgraph call TOOL` and `sponsorgraph tools`: the service's tools at a terminal."""

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer
from rich.table import Table

from cli.commands._service import http_client, service_errors, service_url, session
from cli.commands._shell import err, id_column, out, print_table
from cli.commands.login import Url
from cli.service import rows
from cli.service.arguments import arguments_of, texts_of, type_of
from cli.service.errors import UnlistedToolError
from cli.service.tools import ListedTool, ToolClient
from cli.text import one_line


def call(  # noqa: PLR0913 - options by name
    tool: Annotated[str, typer.Argument(help="Name of the tool.", show_default=False)],
    arguments: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="KEY=VALUE…", help="Its arguments; lists with commas.", show_default=False
        ),
    ] = None,
    *,
    url: Url = "",
    as_csv: Annotated[bool, typer.Option("--csv", help="Print the rows as CSV.")] = False,
    as_markdown: Annotated[
        bool, typer.Option("--md", help="Print the rows as a table of Markdown.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the whole result as JSON; this is the default.")
    ] = False,
    of: Annotated[
        str,
        typer.Option(
            "--rows", help="The list that has the rows; by default the first.", show_default=False
        ),
    ] = "",
) -> None:
    """Call a tool of the service, and print its result.

    As whoever is logged in by `sponsorgraph login`, or by the key in SPONSORGRAPH_API_KEY. A call counts as
    it does for any client.
    """
    if as_csv + as_markdown + as_json > 1:
        raise typer.BadParameter("choose one of --csv, --md and --json")
    with service_errors():
        result = _result(_client(url), tool, arguments or ())
        if as_csv or as_markdown:
            found, head = rows.rows_of(result, of), rows.head_of(result, of)
            typer.echo((rows.as_csv if as_csv else rows.as_markdown)(found, head), nl=False)
            _print_rest(result, of)
        else:
            typer.echo(_json(result))


def tools(
    name: Annotated[
        str, typer.Argument(metavar="[TOOL]", help="Show one tool with its arguments.")
    ] = "",
    *,
    url: Url = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the tools that your plan has, or show the arguments of one."""
    with service_errors():
        client = _client(url)
        listed = (client.tool(name),) if name else client.tools()
    if as_json:
        shown = [
            {"name": tool.name, "title": tool.title, "description": tool.description}
            | ({"arguments": tool.arguments, "required": tool.required} if name else {})
            for tool in listed
        ]
        typer.echo(_json(shown))
    elif name:
        _print_tool(listed[0])
    else:
        table = Table(id_column("tool"), "title")
        for tool in listed:
            table.add_row(one_line(tool.name), one_line(tool.title))
        print_table(table)


def _client(url: str) -> ToolClient:
    http = http_client()
    return ToolClient(http, session(service_url(url), http))


def _result(client: ToolClient, name: str, words: Sequence[str]) -> Mapping[str, Any]:
    """Return the result of a call. A tool that is not listed is called too: the service says what the plan lacks."""
    try:
        tool = client.tool(name)
    except UnlistedToolError:
        return client.call(name, texts_of(words))
    return client.call(tool.name, arguments_of(tool, words))


def _print_tool(tool: ListedTool) -> None:
    out.print(one_line(tool.description), soft_wrap=True)
    table = Table(id_column("argument"), "type", "meaning")
    for name, schema in tool.arguments.items():
        needed = " (needed)" if name in tool.required else ""
        table.add_row(
            one_line(f"{name}{needed}"),
            one_line(type_of(schema)),
            one_line(str(schema.get("description", ""))),
        )
    print_table(table)


def _print_rest(result: Mapping[str, Any], of: str) -> None:
    """Say what the rows do not: the notes, the other lists, and that there is more."""
    lists = list(rows.lists_of(result))
    shown = of or next(iter(lists), "")
    others = [name for name in lists if name != shown]
    if others:
        err.print(f"Rows of {shown}; --rows takes {', '.join(others)}, too.")
    for remark in (result.get("note"), result.get("cut_off")):
        if isinstance(remark, str):
            err.print(one_line(remark), soft_wrap=True)
    cursor = result.get("next_cursor")
    if isinstance(cursor, str):
        err.print(f"There is more: add cursor={one_line(cursor)}", soft_wrap=True)


def _json(content: object) -> str:
    """Return JSON in which nothing steers the terminal."""
    text = json.dumps(content, indent=2, ensure_ascii=False)
    return "".join(
        item if item == "\n" or item.isprintable() else f"\\u{ord(item):04x}" for item in text
    )
