"""Saved lists over MCP and on the site, from the first entry to a ranking that they filter."""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import psycopg
import pytest

from devstack.home import Home
from tests.clients import organisations
from tests.clients.person import PASSWORD, Person
from tests.e2e.conftest import RunningStack, wait_for

pytestmark = [pytest.mark.timeout(240)]


def top(stack: RunningStack, key: str, **arguments: Any) -> list[str]:
    found = stack.tool_result("sponsor.top", {"limit": 5, **arguments}, key)
    return [ranked["sponsor"]["name"] for ranked in found["sponsors"]]


def test_a_list_is_filled_by_names_and_filters_a_ranking(stack: RunningStack) -> None:
    key = stack.key(stack.account("creator"))
    first, second, *others = top(stack, key)
    made = stack.tool_result(
        "list.create", {"name": "Rivals", "type": "sponsor", "names": [first, second, "zzqqx"]}, key
    )
    assert made["list"]["entries"] == 2
    assert [item["name"] for item in made["unclear"]] == ["zzqqx"]
    assert top(stack, key, in_list="rivals") == [first, second]
    assert top(stack, key, not_in_list="rivals")[:3] == others
    stack.tool_result("list.remove", {"list": "Rivals", "names": [first]}, key)
    assert top(stack, key, in_list="rivals") == [second]
    entries = stack.tool_result("list.get", {"list": made["list"]["id"]}, key)["entries"]
    assert [entry["sponsor"]["name"] for entry in entries] == [second]
    stack.tool_result("list.delete", {"list": "Rivals"}, key)
    assert stack.tool_result("list.all", {}, key)["lists"] == []
    refused = stack.call_tool("sponsor.top", {"in_list": "rivals"}, key)
    assert refused.status_code == 400
    assert "`in_list` 'rivals' is none of your lists" in refused.text


def test_equal_names_of_two_accounts_give_each_its_own(stack: RunningStack) -> None:
    keys = [stack.key(stack.account("creator")) for _ in range(2)]
    names = top(stack, keys[0])
    for key, name in zip(keys, names[:2], strict=True):
        stack.tool_result("list.create", {"name": "Mine", "type": "sponsor", "names": [name]}, key)
    assert [top(stack, key, in_list="Mine") for key in keys] == [[names[0]], [names[1]]]


@asynccontextmanager
async def visitor(stack: RunningStack, plan: str = "creator") -> AsyncGenerator[Person]:
    """Somebody new, logged in to the site."""
    email = stack.account(plan, PASSWORD)
    async with Person(stack.connection["site_url"], "198.51.100.61") as person:
        person.email = email
        await person.log_in(email, PASSWORD)
        yield person


async def test_a_list_is_made_and_changed_on_the_site_without_javascript(
    stack: RunningStack,
) -> None:
    async with visitor(stack) as person:
        key = stack.key(person.email)
        first, second = top(stack, key)[:2]
        await person.visit("/account/lists")
        page = await person.submit(
            "/account/lists", name="<b>Rivals", type="sponsor", names=f"{first}\n\nzzqqx\n"
        )
        assert "<b>Rivals" not in page.text
        assert "zzqqx</strong> is no known brand." in page.text
        page = await person.submit("/account/lists/add", names=second)
        assert "with 2 entries" in page.text
        assert sorted(top(stack, key, in_list="<b>Rivals")) == sorted([first, second])
        page = await person.submit("/account/lists/remove")
        assert "with 1 entry" in page.text
        page = await person.submit("/account/lists/rename", name="Ours")
        assert "<h1>Ours</h1>" in page.text
        assert "Ours" in (await person.visit("/account/lists")).text
        page = await person.submit("/account/lists", name="ours", type="youtuber", names="")
        assert (page.status_code, "has this name" in page.text) == (409, True)
        (made,) = stack.tool_result("list.all", {}, key)["lists"]
        await person.visit(f"/account/list?list={made['id']}")
        page = await person.submit("/account/lists/delete")
        assert "There is no list yet." in page.text


@pytest.mark.parametrize(
    ("kind", "entries", "note"),
    [
        ("sponsor", ("{brand}", "{creator}"), "is a creator, no brand."),
        ("youtuber", ("{creator}", "{brand}"), "is a brand, no creator."),
    ],
)
async def test_the_page_says_of_what_kind_an_entry_is_and_adds_the_others(
    stack: RunningStack, kind: str, entries: tuple[str, str], note: str
) -> None:
    async with visitor(stack) as person:
        key = stack.key(person.email)
        brand = top(stack, key)[0]
        found = stack.tool_result("sponsor.youtubers", {"sponsor": brand, "limit": 1}, key)
        names = {"brand": brand, "creator": found["youtubers"][0]["youtuber"]["id"]}
        lines = "\n".join(entries).format(**names)
        await person.visit("/account/lists")
        page = await person.submit("/account/lists", name="Mixed", type=kind, names=lines)
        assert "with 1 entry" in page.text
        assert note in page.text


async def test_a_refused_form_of_lists_names_its_field_by_its_label(stack: RunningStack) -> None:
    async with visitor(stack) as person:
        await person.visit("/account/lists")
        page = await person.submit("/account/lists", name="  ", type="sponsor", names="")
        assert "“Name” has 1 to 60 characters." in page.text


async def test_free_sees_the_page_and_cannot_change_it(stack: RunningStack) -> None:
    async with visitor(stack, "free") as person:
        page = await person.visit("/account/lists")
        assert "The plan Free does not change lists." in page.text
        await person.visit("/account/settings")
        csrf = dict(person.form("/account/settings/password").fields)["csrf"]
        refused = await person.client.post(
            "/account/lists", data={"csrf": csrf, "name": "Mine", "type": "sponsor"}
        )
        assert refused.status_code == 403


async def test_members_of_an_organisation_share_its_lists_and_nobody_else_does(
    stack: RunningStack,
) -> None:
    async with visitor(stack) as owner, visitor(stack) as member, visitor(stack) as other:
        organisation_id = await organisations.create(owner)
        moved = stack.command("account", "set-plan", organisation_id, "creator")
        assert moved.returncode == 0, moved.stdout + moved.stderr
        await organisations.join(owner, member, stack.home / "mails")
        name = f"Shared {secrets.token_hex(4)}"
        await owner.visit("/account/lists")
        await owner.submit("/account/lists", name=name, type="sponsor", names="")
        assert name in (await member.visit("/account/lists")).text
        assert name not in (await other.visit("/account/lists")).text
        await organisations.switch(member, "")
        assert name not in (await member.visit("/account/lists")).text


async def test_the_lists_of_a_deleted_account_go_with_it(stack: RunningStack) -> None:
    name = f"Gone {secrets.token_hex(4)}"
    async with visitor(stack) as person:
        key = stack.key(person.email)
        stack.tool_result("list.create", {"name": name, "type": "sponsor"}, key)
        await person.visit("/account/settings")
        await person.submit(
            "/account/settings/delete", password=PASSWORD, confirm_email=person.email
        )
    home = Home(stack.home)
    addresses = home.addresses()
    assert addresses is not None
    server = f"postgresql://postgres:{home.secrets().postgres_password}@{addresses.postgres}"
    statement = "SELECT count(*) FROM saved_lists WHERE name = %s"
    with psycopg.connect(f"{server}/catalog", autocommit=True) as connection:
        wait_for(
            lambda: connection.execute(statement, [name]).fetchall() == [(0,)],
            30,
            "the lists are still there",
        )
