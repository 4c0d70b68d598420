"""What agents read about the service names the tools that there are, and is of the formats that it says."""

import io
import re
import zipfile
from types import SimpleNamespace
from typing import Any, Final
from urllib.parse import urlsplit

import httpx2
import pytest
import yaml

from auth_service.domain.alerts.model import SUBJECTS
from auth_service.web.app import http_app
from gateway.tools import SQL_TOOLS, all_tools
from servicekit import agents
from tests.attack.routes import served

SITE: Final = "https://site.example"
ENDPOINT: Final = "https://mcp.example/mcp"
TOOLS: Final = {tool.name: tool for tool in all_tools()}
EVENTS: Final = {kind for kinds in SUBJECTS.values() for kind in kinds}
FAMILIES: Final = "|".join(sorted({name.partition(".")[0] for name in TOOLS} | {"catalog"}))
NAMES: Final = re.compile(rf"`((?:{FAMILIES})\.[a-zA-Z]+)`")
LINKS: Final = re.compile(r"\[([^\]]+)\]\(([^)]+)\)")


def words_in_code(text: str) -> set[str]:
    return set(re.findall(r"`([a-z_]+)`", text))


def test_the_skill_names_every_tool_and_no_other() -> None:
    files = agents.skill_files()
    assert set(NAMES.findall(files["SKILL.md"])) == set(TOOLS)
    for text in files.values():
        assert set(NAMES.findall(text)) <= set(TOOLS) | EVENTS
    assert re.findall(r"^## (\S+)$", files["references/tools.md"], re.MULTILINE) == list(TOOLS)


def test_queries_have_a_file_of_their_own() -> None:
    queries = {tool.name for tool in SQL_TOOLS}
    files = agents.skill_files()
    assert set(NAMES.findall(files["references/sql.md"])) & queries == queries
    assert "references/sql.md" in files["SKILL.md"]


def test_fields_and_states_that_the_skill_explains_are_those_of_results() -> None:
    explained = {
        word
        for tool in TOOLS.values()
        for word in re.findall(r"[a-z_]+", f"{tool.input_schema} {tool.output_schema}")
    }
    for name in ("SKILL.md", "references/coverage.md"):
        said = words_in_code(agents.skill_files()[name]) - {"sponsor_search", "unseen"}
        assert said <= explained, said - explained


def test_the_skill_is_of_the_agent_skills_format() -> None:
    text = agents.skill_files()["SKILL.md"]
    _, front, body = text.split("---\n", 2)
    fields = yaml.safe_load(front)
    assert set(fields) <= {"name", "description", "license", "compatibility", "metadata"}
    assert fields["name"] == agents.NAME
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", fields["name"])
    assert 1 <= len(fields["description"]) <= 1024
    assert len(fields["compatibility"]) <= 500
    assert all(isinstance(value, str) for value in fields["metadata"].values())
    assert len(text.splitlines()) < 500
    assert "$" not in body


def test_links_of_the_skill_lead_to_its_own_files() -> None:
    files = agents.skill_files()
    found = {link for text in files.values() for _, link in LINKS.findall(text)}
    assert found
    assert found <= set(files)


def test_the_archive_has_the_skill_in_its_folder_and_is_always_the_same() -> None:
    archive = agents.skill_archive()
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        assert opened.testzip() is None
        content = {name: opened.read(name).decode() for name in opened.namelist()}
    assert content == {f"{agents.NAME}/{path}": text for path, text in agents.skill_files().items()}
    assert agents.skill_archive() == archive


def sections_of(text: str) -> dict[str, list[str]]:
    parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)
    return {
        title: [line for line in body.splitlines() if line]
        for title, body in zip(parts[1::2], parts[2::2], strict=True)
    }


def test_llms_txt_is_of_its_format() -> None:
    text = agents.llms_txt(SITE, ENDPOINT)
    head, _, rest = text.partition("\n\n")
    assert head == "# Sponsorgraph"
    assert rest.startswith("> ")
    details = rest.split("\n## ", 1)[0]
    assert not re.search(r"^#", details, re.MULTILINE)
    assert "$" not in text
    assert f"MCP endpoint: {ENDPOINT} " in details
    assert f"--url {ENDPOINT}`" in details
    sections = sections_of(text)
    assert list(sections) == ["For agents", "Tools", "For people", "Optional"]
    for lines in sections.values():
        for line in lines:
            assert re.fullmatch(r"- \[[^\]]+\]\(https://site\.example/[^)]*\)(: .+)?", line), line


def test_llms_txt_lists_every_tool_and_leads_nowhere_that_is_not_there() -> None:
    sections = sections_of(agents.llms_txt(SITE, ENDPOINT))
    listed: list[tuple[str, str]] = [LINKS.findall(line)[0] for line in sections["Tools"]]
    assert [name for name, _ in listed] == list(TOOLS)
    headings = agents.skill_files()["references/tools.md"]
    for name, link in listed:
        assert urlsplit(link).fragment == name.replace(".", "").lower()
        assert f"\n## {name}\n" in headings
    known = {path for method, path in served() if method == "GET"}
    for lines in sections.values():
        for line in lines:
            link: str = LINKS.findall(line)[0][1]
            assert urlsplit(link).path in known


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/llms.txt", "text/plain; charset=utf-8"),
        ("/skills/sponsorgraph/SKILL.md", "text/markdown; charset=utf-8"),
        ("/skills/sponsorgraph/references/tools.md", "text/markdown; charset=utf-8"),
        ("/skills/sponsorgraph.zip", "application/zip"),
    ],
)
async def test_the_site_gives_them_to_everybody(path: str, kind: str) -> None:
    site: Any = SimpleNamespace(oauth=None, pages=SimpleNamespace(site_url=SITE, mcp_url=ENDPOINT))
    transport = httpx2.ASGITransport(http_app(site))
    async with httpx2.AsyncClient(transport=transport, base_url=SITE) as client:
        response = await client.get(path)
    assert response.status_code == 200
    assert response.headers["content-type"] == kind
    assert response.headers["cache-control"] == "public, max-age=3600"
    assert response.headers["x-content-type-options"] == "nosniff"
    if path == "/skills/sponsorgraph.zip":
        assert response.content == agents.skill_archive()
        assert "attachment" in response.headers["content-disposition"]
    elif path == "/llms.txt":
        assert response.text == agents.llms_txt(SITE, ENDPOINT)
    else:
        assert response.text == agents.skill_files()[path.removeprefix("/skills/sponsorgraph/")]
