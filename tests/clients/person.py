"""A person in front of a browser without JavaScript: follows pages and sends their forms."""

from __future__ import annotations

import asyncio
import email
import email.policy
import re
import ssl
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import urljoin, urlsplit

import httpx2

PASSWORD: Final = "a good long passphrase"


@dataclass(slots=True)
class Form:
    """A form of a page: where it goes, and its fields as they would be sent."""

    action: str
    method: str
    fields: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])


class _Forms(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self._open: Form | None = None
        self._select = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._open = Form(attributes.get("action", ""), attributes.get("method", "get").lower())
            self.forms.append(self._open)
        elif self._open is not None and tag == "input":
            self._input(attributes)
        elif tag == "select":
            self._select = attributes.get("name", "")
        elif tag == "option" and self._open is not None and "selected" in attributes:
            self._open.fields.append((self._select, attributes.get("value", "")))

    def _input(self, attributes: dict[str, str]) -> None:
        kind, name = attributes.get("type", "text"), attributes.get("name", "")
        unchecked = kind in ("checkbox", "radio") and "checked" not in attributes
        if self._open is not None and name and not unchecked and kind != "submit":
            self._open.fields.append((name, attributes.get("value", "")))

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._open = None


def forms(page: str) -> list[Form]:
    """The forms of a page."""
    parser = _Forms()
    parser.feed(page)
    return parser.forms


class Person:
    """Somebody at `site_url`. Cookies are stored; redirects are followed while they stay there."""

    def __init__(
        self,
        site_url: str,
        address: str = "127.0.0.1",
        trust: ssl.SSLContext | None = None,
    ) -> None:
        self.site_url = site_url
        self.client = httpx2.AsyncClient(
            base_url=site_url,
            headers={"Accept": "text/html", "X-Forwarded-For": address},
            timeout=15,
            verify=True if trust is None else trust,
            limits=httpx2.Limits(max_keepalive_connections=0),  # nothing stays open to be closed
        )
        self.page: httpx2.Response | None = None
        self.email = ""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.client.aclose()

    async def visit(self, url: str) -> httpx2.Response:
        """The page at `url`, after redirects; one that leaves the site is returned as it is."""
        return await self._follow(await self.client.get(url))

    async def submit(self, action: str, **changes: Any) -> httpx2.Response:
        """Sends the form of the page before whose action starts with `action`."""
        assert self.page is not None
        form = self.form(action)
        unchanged = [(name, value) for name, value in form.fields if name not in changes]
        pairs = unchanged + [
            (name, str(item))
            for name, value in changes.items()
            if value is not None
            for item in (value if isinstance(value, list) else [value])
        ]
        body: dict[str, list[str]] = {}
        for name, value in pairs:
            body.setdefault(name, []).append(value)
        target = urljoin(str(self.page.url), form.action)
        return await self._follow(await self.client.post(target, data=body))

    def form(self, action: str) -> Form:
        """A form of the present page."""
        assert self.page is not None
        found = forms(self.page.text)
        for form in found:
            if form.action.startswith(action) and form.method == "post":
                return form
        raise AssertionError(f"no form {action} among {[f.action for f in found]}")

    async def _follow(self, response: httpx2.Response) -> httpx2.Response:
        for _ in range(10):
            location = response.headers.get("location")
            if location is None:
                break
            target = urljoin(str(response.url), location)
            if urlsplit(target).netloc != urlsplit(self.site_url).netloc:
                return response
            response = await self.client.get(target)
        self.page = response
        return response

    async def sign_up(self, address: str, mails: Path, following: str = "") -> None:
        """A new account, confirmed by the link in the mail."""
        await self.visit(f"/signup?next={following}")
        sent = await self.submit("/signup", email=address, password=PASSWORD)
        assert sent.status_code == 200, sent.text
        await self.visit(link_in(await newest_mail(mails, address)))
        await self.submit("/confirm")

    async def log_in(self, address: str, password: str = PASSWORD) -> httpx2.Response:
        """Sends the login form of the present page, or that of /login."""
        if self.page is None or not self.page.url.path.startswith("/login"):
            await self.visit("/login")
        if self.page is not None and not self.page.url.path.startswith("/login"):
            await self.submit("/logout")  # somebody is logged in
            await self.visit("/login")
        return await self.submit("/login", email=address, password=password)

    async def decide(self, authorize_url: str, decision: str = "approve") -> str:
        """Answers the consent page at `authorize_url`; where that leads, outside the site."""
        response = await self.visit(authorize_url)
        if "location" not in response.headers:
            assert response.status_code == 200, response.text
            response = await self.submit("/oauth/authorize/decision", decision=decision)
        assert response.status_code == 303, response.text
        return response.headers["location"]


def mails_to(folder: Path, address: str) -> list[Path]:
    """The mails to `address`, the newest last."""
    return sorted(f for f in folder.glob("*.eml") if f.name.endswith(f" {address}.eml"))


async def newest_mail(folder: Path, address: str, number: int = 1) -> str:
    """The text of the newest mail to `address`, once there are so many: they come after answers."""
    async with asyncio.timeout(20):
        while len(files := mails_to(folder, address)) < number:  # noqa: ASYNC110 - of a file
            await asyncio.sleep(0.02)
    message = email.message_from_bytes(files[-1].read_bytes(), policy=email.policy.default)
    body = message.get_body()
    assert body is not None
    return body.get_content()


def link_in(text: str) -> str:
    """The first link of a mail."""
    found = re.search(r"https?://\S+", text)
    assert found, text
    return found.group()
