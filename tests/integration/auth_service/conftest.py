"""The auth service on real Postgres and Valkey, called over gRPC."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import grpc
import psycopg
import pytest
import redis
from pydantic import SecretStr

from auth_service import MIGRATIONS, app
from auth_service.clients.client_documents import Fetcher
from auth_service.domain.ports import Clock
from auth_service.settings import AuthSettings
from devstack.ports import free_port
from protos.auth.v1 import auth_pb2 as pb
from protos.auth.v1 import auth_pb2_grpc as pb_grpc
from servicekit.grpc import client as grpc_client
from servicekit.grpc.errors import from_rpc_error
from servicekit.migration.command import migrate
from tests.clients.oauth import OAuthClient
from tests.clients.person import PASSWORD, Person
from tests.fakes import client_site
from tests.fakes.client_site import ClientSite
from tests.fakes.peers import CREDENTIALS, GRPC_TOKEN
from tests.poolers import through

TOKEN = "operators-only"
RESOURCE = "https://api.example/mcp"


def somewhere_else() -> str:
    """Return a random address, so that tests hardly ever share a network."""
    return f"10.{secrets.randbelow(256)}.{secrets.randbelow(256)}.{secrets.randbelow(256)}"


@dataclass(frozen=True, slots=True)
class Service:
    """A running service, with its gRPC address and stubs, and its site."""

    settings: AuthSettings
    target: str
    access: pb_grpc.AccessAsyncStub
    operations: pb_grpc.OperationsAsyncStub

    async def call(self, method: Any, request: Any) -> Any:
        return await grpc_client.call(method, request, timeout=10)

    async def operate(self, method: Any, request: Any, token: str = TOKEN) -> Any:
        try:
            return await method(request, timeout=10, metadata=(("x-operator-token", token),))
        except grpc.RpcError as error:
            raise from_rpc_error(error) from error

    async def account(self, plan: str = "creator") -> str:
        """Create an account and return its e-mail address."""
        email = f"{secrets.token_hex(6)}@example.com"
        request = pb.CreateAccountRequest(email=email, password=PASSWORD, plan=plan)
        await self.operate(self.operations.CreateAccount, request)
        return email

    async def set_plan(self, email: str, plan: str) -> None:
        await self.operate(self.operations.SetPlan, pb.SetPlanRequest(email=email, plan=plan))

    @property
    def url(self) -> str:
        """The URL of the site, which is also the issuer."""
        return self.settings.site_url

    async def person(self, plan: str = "creator") -> Person:
        """Return a logged-in person with a new account."""
        email = await self.account(plan)
        person = Person(self.url, address=f"198.51.100.{secrets.randbelow(250)}")
        logged_in = await person.log_in(email, PASSWORD)
        assert logged_in.url.path == "/account", logged_in.text
        person.email = email
        return person

    async def client(self, **metadata: Any) -> OAuthClient:
        """Register a client."""
        return await OAuthClient.registered(self.url, RESOURCE, **metadata)

    async def deferred_work_is_done(self) -> None:
        """Wait until no deferred work is left."""
        async with asyncio.timeout(20):
            while _deferred(self.settings.database_url):  # noqa: ASYNC110 - of another process
                await asyncio.sleep(0.02)

    @property
    def mails(self) -> Path:
        """The folder of the site's mails."""
        return Path(self.settings.mail_folder)

    async def key(self, email: str, **options: Any) -> pb.CreatedKey:
        request = pb.CreateKeyRequest(email=email, name="script", **options)
        return await self.operate(self.operations.CreateKey, request)


def _deferred(database_url: str) -> int:
    with psycopg.connect(database_url) as connection:
        row = connection.execute("SELECT count(*) FROM deferred_work").fetchone()
    assert row is not None
    return row[0]


def settings_of(database_url: str, valkey_url: str, mails: Path) -> AuthSettings:
    """Return settings with a new, migrated database."""
    port = free_port()
    settings = AuthSettings(
        database_url=database_url,
        valkey_url=valkey_url,
        operator_token=SecretStr(TOKEN),
        grpc_token=GRPC_TOKEN,
        grpc_port=0,
        http_port=port,
        token_secret=SecretStr("a secret of tests, long enough to be taken"),
        site_url=f"http://127.0.0.1:{port}",
        resource_url=RESOURCE,
        gateway_url=f"http://127.0.0.1:{free_port()}/mcp",
        client_documents="pinned",
        trusted_proxies="127.0.0.1",
        mail_folder=str(mails),
        max_keys_per_account=3,
    )
    migrate(settings.database_url, MIGRATIONS)
    return through(settings)


@asynccontextmanager
async def running(
    settings: AuthSettings, clock: Clock = app.now, fetcher: Fetcher | None = None
) -> AsyncGenerator[Service]:
    """Run the service of the settings, with another clock or document fetcher if passed."""
    async with (
        app.serve(settings, clock, fetcher) as ports,
        grpc_client.open_channel(f"127.0.0.1:{ports.grpc}", credentials=CREDENTIALS) as channel,
    ):
        yield Service(
            settings,
            f"127.0.0.1:{ports.grpc}",
            pb_grpc.AccessStub(channel),  # pyright: ignore[reportArgumentType]
            pb_grpc.OperationsStub(channel),  # pyright: ignore[reportArgumentType]
        )


@pytest.fixture(scope="module", autouse=True)
def _attempts_of_this_module_alone(valkey_url: str) -> None:  # pyright: ignore[reportUnusedFunction]
    """Forget the attempts of other modules: all come from one address, which may log in a hundred times in a quarter of an hour."""
    opening: Any = redis.Redis
    with opening.from_url(valkey_url) as client:
        if counted := client.keys("sponsorgraph:throttle:*"):
            client.delete(*counted)


@pytest.fixture(scope="session")
def auth_settings(
    fresh_database: Callable[[], str], valkey_url: str, tmp_path_factory: pytest.TempPathFactory
) -> AuthSettings:
    return settings_of(fresh_database(), valkey_url, tmp_path_factory.mktemp("mails"))


@pytest.fixture(scope="session")
async def service(auth_settings: AuthSettings) -> AsyncGenerator[Service]:
    async with running(auth_settings) as opened:
        yield opened


@dataclass(frozen=True, slots=True)
class Age:
    """Move times in the database to the past, instead of waiting."""

    database_url: str

    def codes(self, **by: float) -> None:
        self._earlier("oauth_codes", ("expires_at",), timedelta(**by))

    def grants(self, **by: float) -> None:
        self._earlier("oauth_grants", ("created_at", "expires_at"), timedelta(**by))

    def required_consents(self, **by: float) -> None:
        self._earlier("oauth_grants", ("consent_required_at",), timedelta(**by))

    def used_refresh_tokens(self, **by: float) -> None:
        self._earlier("oauth_refresh_tokens", ("used_at",), timedelta(**by))

    def mail_tokens(self, **by: float) -> None:
        self._earlier("mail_tokens", ("expires_at",), timedelta(**by))

    def sign_ups(self, **by: float) -> None:
        self._earlier("sign_ups", ("expires_at",), timedelta(**by))

    def sign_up_links(self, **by: float) -> None:
        self._earlier("sign_ups", ("created_at",), timedelta(**by))

    def sessions(self, **by: float) -> None:
        self._earlier("web_sessions", ("last_seen_at",), timedelta(**by))

    def pending_consents(self, **by: float) -> None:
        self._earlier("pending_consents", ("expires_at",), timedelta(**by))

    def pushed_requests(self, **by: float) -> None:
        self._earlier("oauth_pushed_requests", ("expires_at",), timedelta(**by))

    def devices(self, **by: float) -> None:
        self._earlier("oauth_devices", ("last_polled_at",), timedelta(**by))

    def clients(self, **by: float) -> None:
        self._earlier("oauth_clients", ("created_at", "last_used_at"), timedelta(**by))

    def _earlier(self, table: str, columns: tuple[str, ...], by: timedelta) -> None:
        changes = ", ".join(f"{column} = {column} - %(by)s" for column in columns)
        with psycopg.connect(self.database_url) as connection:
            connection.execute(f"UPDATE {table} SET {changes}".encode(), {"by": by})


@pytest.fixture
def age(auth_settings: AuthSettings) -> Age:
    return Age(auth_settings.database_url)


@pytest.fixture
def auth_database(auth_settings: AuthSettings) -> str:
    return auth_settings.database_url


@dataclass(frozen=True, slots=True)
class Meeting:
    """A service and a client site whose documents it fetches."""

    service: Service
    site: ClientSite

    def client(self, path: str, host: str = client_site.HOST, **changes: Any) -> OAuthClient:
        """Return a client whose document, with `changes` if any, is at `path`."""
        document = client_site.document(path, host, **changes)
        if changes:
            self.site.documents[path] = document
        callback = document["redirect_uris"][0]
        return OAuthClient(self.service.url, RESOURCE, document["client_id"], callback)


@pytest.fixture(scope="session")
async def meeting(
    fresh_database: Callable[[], str], valkey_url: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[Meeting]:
    """A service that fetches client documents from a site on this machine."""
    settings = settings_of(fresh_database(), valkey_url, tmp_path_factory.mktemp("mails"))
    async with (
        client_site.running_client_site("evil.example") as site,
        running(settings, fetcher=site.fetcher()) as service,
    ):
        yield Meeting(service, site)
