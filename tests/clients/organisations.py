"""People on the pages of organisations."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import httpx2

from tests.clients.person import PASSWORD, Person, link_in, mails_to, newest_mail

PAGE: Final = "/account/organisation"


async def create(person: Person, name: str = "Acme & Söhne") -> str:
    """Create an organisation, for which the person acts then; return its id."""
    await person.visit("/account/organisations")
    page = await person.submit("/account/organisations", name=name)
    found = re.search(r"org_[0-9A-Za-z_-]+", page.text.partition("For the operator")[2])
    assert found, page.text
    return found.group()


async def invite(owner: Person, address: str, mails: Path, role: str = "member") -> str:
    """Invite an address to the organisation that the owner acts for; return the mailed link."""
    before = len(mails_to(mails, address))
    await owner.visit(PAGE)
    page = await owner.submit(f"{PAGE}/invite", email=address, role=role)
    if role == "owner":
        page = await owner.submit(f"{PAGE}/invite", password=PASSWORD)
    assert "invitation is on its way" in page.text, page.text
    return link_in(await newest_mail(mails, address, before + 1))


async def accept(person: Person, link: str) -> httpx2.Response:
    """Accept the invitation of a link."""
    await person.visit(link)
    return await person.submit("/invitation")


async def join(owner: Person, person: Person, mails: Path, role: str = "member") -> None:
    """Make a person a member, who acts for the organisation then."""
    page = await accept(person, await invite(owner, person.email, mails, role))
    assert "You are a member now" in page.text, page.text


async def switch(person: Person, organisation_id: str) -> httpx2.Response:
    """Act for another account; the person's own when the id is empty."""
    await person.visit("/account/organisations")
    return await person.submit("/account/switch", account=organisation_id, next=None)


async def member_action(
    owner: Person, action: str, member: Person, **fields: str
) -> httpx2.Response:
    """Submit the form about a member on the page of members."""
    page = await owner.visit(PAGE)
    row = next(row for row in page.text.split("<tr>") if f">{member.email}" in row)
    account_id = re.search(r'name="account_id" value="([^"]+)"', row)
    assert account_id, row
    page = await owner.submit(f"{PAGE}/{action}", account_id=account_id.group(1), **fields)
    if fields.get("role") != "owner":
        return page
    return await owner.submit(f"{PAGE}/role", password=PASSWORD)
