"""The authorization server against a plain model of it, over random histories of what people,
clients, thieves, operators and time do."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import httpx2
import pytest
import redis
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from protos.auth.v1 import auth_pb2 as pb
from servicekit.errors import Unauthenticated
from tests.clients.oauth import OAuthClient, query_of
from tests.clients.tokens import claims, header
from tests.integration.auth_service.conftest import Service, running, settings_of
from tests.integration.auth_service.oauth_model import ACCESS, PAGE, Code, Family, Page
from tests.integration.auth_service.test_issuer import Machine

T = TypeVar("T")

MAX_ROTATIONS = 2
"""Of the signing key in one history: making a key takes long."""


@dataclass(slots=True)
class World:
    """A service with a manual clock, called from another thread."""

    service: Service
    machine: Machine
    loop: asyncio.AbstractEventLoop
    times: list[datetime]

    @property
    def now(self) -> datetime:
        return self.times[-1]

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(60)


class OAuthHistory(RuleBasedStateMachine):
    """A person with their clients; the model must predict every response."""

    world: World

    def __init__(self) -> None:
        super().__init__()
        self.clients: list[OAuthClient] = []
        self.pages: list[Page] = []
        self.codes: list[Code] = []
        self.families: list[Family] = []
        self.disabled = False
        self.session = 0
        self.rotations = 0

    @initialize()
    def begin(self) -> None:
        reset_rate_limits(self.world.service.settings.valkey_url)
        self.person = self.world.do(self.world.service.person())
        self.register()
        self.register()

    def teardown(self) -> None:
        self.check_every_token()
        self.world.do(self.person.client.aclose())

    # --- what the person does ---

    @precondition(lambda self: not self.disabled)
    @rule(data=st.data())
    def authorize(self, data: st.DataObject) -> None:
        client = data.draw(st.sampled_from(self.clients))
        self._log_in_if_needed()
        shown = self.world.do(self.person.visit(client.authorize_url()))
        assert shown.status_code == 200
        self.pages.append(Page(client, shown, self.world.now, self.session))

    @precondition(lambda self: self.pages)
    @rule(data=st.data(), decision=st.sampled_from(["approve", "approve", "approve", "deny"]))
    def decide(self, data: st.DataObject, decision: str) -> None:
        page = data.draw(st.sampled_from(self.pages))
        self.pages.remove(page)
        response = self._decide(page, decision)
        is_fresh = self.world.now - page.opened_at < PAGE
        if self.disabled or page.session != self.session or not is_fresh:
            assert "location" not in response.headers
        elif decision == "deny":
            assert query_of(response.headers["location"])["error"] == "access_denied"
        else:
            code = query_of(response.headers["location"])["code"]
            self.codes.append(Code(page.client, code, self.world.now))

    # --- what clients and thieves do ---

    @precondition(lambda self: len(self.clients) < 4)
    @rule()
    def register(self) -> None:
        self.clients.append(self.world.do(self.world.service.client()))

    @precondition(lambda self: self.codes)
    @rule(data=st.data(), by=st.sampled_from(["owner", "owner", "owner", "other", "guesser"]))
    def redeem(self, data: st.DataObject, by: str) -> None:
        code = data.draw(st.sampled_from(self.codes[-3:]))
        client = self._other(code.client) if by == "other" else code.client
        changes = {"code_verifier": "y" * 43} if by == "guesser" else {}
        response = self.world.do(client.redeem(code.text, **changes))
        works = code.may_redeem(self.world.now, rightful=by == "owner") and not self.disabled
        if self._check_token_response(response, works=works):
            code.family = Family(code.client, self.world.now + timedelta(days=180))
            self._receive(code.family, response)
            self.families.append(code.family)

    @precondition(lambda self: self.families)
    @rule(data=st.data(), by=st.sampled_from(["owner", "owner", "owner", "other"]))
    def refresh(self, data: st.DataObject, by: str) -> None:
        family = data.draw(st.sampled_from(self.families))
        token = data.draw(st.sampled_from(family.refreshes[-3:]))
        client = self._other(family.client) if by == "other" else family.client
        response = self.world.do(client.refresh(token.text))
        was_used = token.used_at is not None
        may = by == "owner" and not self.disabled
        if self._check_token_response(
            response, works=may and family.may_refresh(token, self.world.now)
        ):
            newest = family.refreshes[-1].text
            self._receive(family, response)
            # Whoever comes second within the grace gets what the first one got.
            assert (family.refreshes[-1].text == newest) == was_used

    @precondition(lambda self: self.families)
    @rule(data=st.data(), by=st.sampled_from(["owner", "other"]), of=st.sampled_from("ar"))
    def revoke(self, data: st.DataObject, by: str, of: str) -> None:
        family = data.draw(st.sampled_from(self.families))
        client = self._other(family.client) if by == "other" else family.client
        now = self.world.now
        living = [access.text for access in family.accesses if now < access.expires_at]
        texts = living if of == "a" and living else [item.text for item in family.refreshes]
        token = data.draw(st.sampled_from(texts))
        response = self.world.do(client.post("/oauth/revoke", token=token))
        assert response.status_code == 200
        family.ended = family.ended or by == "owner"

    # --- what operators and time do ---

    @precondition(lambda self: self.rotations < MAX_ROTATIONS and self.families)
    @rule()
    def rotate_the_signing_key(self) -> None:
        self.rotations += 1
        # A key that was published a moment ago would not sign yet.
        self.world.times.append(self.world.now + timedelta(minutes=10))
        service = self.world.service
        rotation = service.operate(
            service.operations.RotateSigningKey, pb.RotateSigningKeyRequest()
        )
        self.kid = self.world.do(rotation).kid

    @rule(disabled=st.sampled_from([True, False, False]))
    def disable_or_enable_the_account(self, *, disabled: bool) -> None:
        request = pb.SetDisabledRequest(email=self.person.email, disabled=disabled)
        service = self.world.service
        self.world.do(service.operate(service.operations.SetDisabled, request))
        self.disabled = disabled

    @rule(seconds=st.sampled_from([1, 10, 31, 61]))
    def a_moment_passes(self, seconds: int) -> None:
        self.world.times.append(self.world.now + timedelta(seconds=seconds))

    @rule(hours=st.sampled_from([1, 1, 3, 24 * 61, 24 * 181]))
    def long_time_passes(self, hours: int) -> None:
        self.world.times.append(self.world.now + timedelta(hours=hours))

    @precondition(lambda self: self.families)
    @rule()
    def check_every_token(self) -> None:
        now = self.world.now
        published = self._published()
        for family in self.families:
            lives = family.lives(now) and not self.disabled
            assert self._resolves(family) == lives
            newest = family.accesses[-1]
            assert self._active(newest.text) == (lives and now < newest.expires_at)
            assert now >= newest.expires_at or header(newest.text)["kid"] in published
            for token in family.refreshes[-2:]:
                unused = token.used_at is None and now < token.expires_at
                assert self._active(token.text) == (lives and unused)

    def _log_in_if_needed(self) -> None:
        page = self.world.do(self.person.visit("/account"))
        if page.url.path == "/login":
            self.world.do(self.person.log_in(self.person.email))
            self.session += 1

    def _decide(self, page: Page, decision: str) -> httpx2.Response:
        self.person.page = page.shown
        return self.world.do(self.person.submit("/oauth/authorize/decision", decision=decision))

    def _other(self, client: OAuthClient) -> OAuthClient:
        return next(item for item in self.clients if item is not client)

    def _check_token_response(self, response: httpx2.Response, *, works: bool) -> bool:
        assert (response.status_code == 200) == works, response.text
        assert works or response.json()["error"] == "invalid_grant"
        return works

    def _receive(self, family: Family, response: httpx2.Response) -> None:
        tokens = response.json()
        assert tokens["expires_in"] == ACCESS.total_seconds()
        if self.rotations:
            assert header(tokens["access_token"])["kid"] == self.kid
        family.receive(self.world.now, tokens["access_token"], tokens["refresh_token"])

    def _published(self) -> set[str]:
        async def fetch() -> httpx2.Response:
            async with httpx2.AsyncClient() as http:
                return await http.get(f"{self.world.service.url}/oauth/jwks.json")

        return {key["kid"] for key in self.world.do(fetch()).json()["keys"]}

    def _resolves(self, family: Family) -> bool:
        access = self.world.service.access
        request = pb.ResolveGrantRequest(grant_id=claims(family.accesses[0].text)["gid"])
        try:
            self.world.do(self.world.service.call(access.ResolveGrant, request))
        except Unauthenticated:
            return False
        return True

    def _active(self, token: str) -> bool:
        machine = self.world.machine
        response = self.world.do(
            machine.post("/oauth/introspect", token=token, **machine.assertion())
        )
        return response.json()["active"]


def reset_rate_limits(valkey_url: str) -> None:
    """Throttles use the real clock, so that shrinking a failure would reach their limits."""
    opening: Any = redis.Redis
    with opening.from_url(valkey_url) as client:
        client.flushall()


@pytest.fixture(scope="module")
async def world(
    fresh_database: Callable[[], str], valkey_url: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[World]:
    times = [datetime.now(UTC).replace(microsecond=0)]
    config = settings_of(fresh_database(), valkey_url, tmp_path_factory.mktemp("mails"))
    async with running(config, lambda: times[-1]) as service:
        machine = Machine(service)
        await machine.add(await service.account())
        yield World(service, machine, asyncio.get_running_loop(), times)


@pytest.mark.timeout(400)
async def test_the_authorization_server_does_what_the_model_says(world: World) -> None:
    machine = type("History", (OAuthHistory,), {"world": world})
    await asyncio.to_thread(
        run_state_machine_as_test,
        machine,
        settings=settings(
            max_examples=15,
            stateful_step_count=40,
            derandomize=True,
            database=None,
            deadline=None,
            phases=(Phase.explicit, Phase.generate),  # making a failure smaller takes minutes
            suppress_health_check=(HealthCheck.too_slow, HealthCheck.filter_too_much),
        ),
    )
