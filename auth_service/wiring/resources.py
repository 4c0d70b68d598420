"""Open what the use cases share: databases, Valkey, signing keys, the mailer, channels to other services."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass

import grpc.aio
import redis.asyncio as redis
from sqlalchemy import Engine
from sqlalchemy.ext.asyncio import AsyncEngine

from auth_service.clients.client_documents import ClientDocuments, Fetcher
from auth_service.clients.document_fetcher import DocumentFetcher
from auth_service.domain.follow_limits import ChangedAccounts, ChangePublisher
from auth_service.domain.oauth.client_documents import MAX_BYTES
from auth_service.domain.oauth.ports import OAuthTransactions
from auth_service.domain.passwords import Passwords
from auth_service.domain.plans import Plan
from auth_service.domain.ports import Clock, RevocationPublisher, Throttle
from auth_service.domain.site.mails import Mailer
from auth_service.domain.site.ports import SiteTransactions
from auth_service.oauth.policy import Policy
from auth_service.oauth.server import Environment
from auth_service.settings import AuthSettings
from auth_service.storage.oauth.keys import EncryptedKeys, KeyRing
from auth_service.storage.oauth.store import transactions as oauth_transactions
from auth_service.storage.site.store import PostgresSiteStore
from auth_service.storage.store import transactions
from auth_service.storage.throttle import ValkeyThrottle
from auth_service.storage.valkey import ValkeyRevocationPublisher
from auth_service.wiring.mail import mailer_of
from servicekit import database, database_servers
from servicekit.grpc import client as grpc_client
from servicekit.valkey import open_client


@dataclass(frozen=True, slots=True)
class Resources:
    """What the use cases share. `catalog` and `imports` are None where the settings name no such service.

    `changed` has the accounts that `feed` was told of, until the import worker knows how many channels they may follow.
    """

    settings: AuthSettings
    clock: Clock
    engine: AsyncEngine
    valkey: redis.Redis
    feed: RevocationPublisher
    changed: ChangedAccounts
    throttle: Throttle
    plans: Mapping[str, Plan]
    passwords: Passwords
    policy: Policy
    keys: KeyRing
    documents: ClientDocuments
    open_site: SiteTransactions
    open_oauth: OAuthTransactions
    mailer: Mailer
    catalog: grpc.aio.Channel | None
    imports: grpc.aio.Channel | None

    def environment(self) -> Environment:
        """Return the environment of a request of the authorization server, with the keys of this moment."""
        return Environment(self.policy, self.keys.keys, self.clock)


async def open_resources(
    stack: AsyncExitStack, settings: AuthSettings, clock: Clock, fetcher: Fetcher | None
) -> Resources:
    """Open them until the stack is closed. `fetcher` takes the place of the settings' where it is given."""
    engine, sync_engine = await _engines(stack, settings)
    valkey = open_client(settings.valkey_url, socket_timeout=2)
    stack.push_async_callback(valkey.aclose)
    throttle, policy = ValkeyThrottle(valkey), policy_of(settings)
    keys = KeyRing(sync_engine, EncryptedKeys(policy.token_secret), clock)
    await asyncio.to_thread(keys.refresh)
    documents = ClientDocuments(fetcher or _fetcher(settings), throttle)
    stack.push_async_callback(documents.aclose)
    open_site = transactions(engine, PostgresSiteStore)
    imports, changed = _channel(stack, settings, settings.imports_target), ChangedAccounts()
    publisher = ValkeyRevocationPublisher(valkey)
    feed = ChangePublisher(publisher, changed) if imports else publisher
    return Resources(
        settings=settings,
        clock=clock,
        engine=engine,
        valkey=valkey,
        feed=feed,
        changed=changed,
        throttle=throttle,
        plans=settings.effective_plans(),
        passwords=Passwords(),
        policy=policy,
        keys=keys,
        documents=documents,
        open_site=open_site,
        open_oauth=oauth_transactions(sync_engine, _announcer(publisher)),
        mailer=mailer_of(settings, open_site),
        catalog=_channel(stack, settings, settings.catalog_target),
        imports=imports,
    )


def policy_of(settings: AuthSettings) -> Policy:
    """Return the policy of the authorization server from the settings."""
    return Policy(
        issuer=settings.site_url,
        resource=settings.resource_url,
        token_secret=settings.token_secret.get_secret_value(),
        known_publishers=frozenset(settings.known_publishers),
    )


async def _engines(stack: AsyncExitStack, settings: AuthSettings) -> tuple[AsyncEngine, Engine]:
    engine = database.open_engine(settings, "auth_service")
    stack.push_async_callback(engine.dispose)
    sync_engine = database.open_sync_engine(settings, "auth_service")
    stack.callback(sync_engine.dispose)
    await stack.enter_async_context(database_servers.follow(settings, engine, sync_engine))
    return engine, sync_engine


def _fetcher(settings: AuthSettings) -> Fetcher | None:
    return DocumentFetcher(MAX_BYTES) if settings.client_documents == "fetch" else None


def _channel(stack: AsyncExitStack, settings: AuthSettings, target: str) -> grpc.aio.Channel | None:
    """Open a channel to another service; None if the installation names no target."""
    if not target:
        return None
    channel = grpc_client.open_channel(target, credentials=settings.peer_credentials())
    stack.push_async_callback(channel.close)
    return channel


def _announcer(feed: ValkeyRevocationPublisher) -> Callable[[str, str], None]:
    """Return what announces a revoked grant from the threads of the OAuth transactions."""
    loop = asyncio.get_running_loop()

    def announce(account_id: str, grant_id: str) -> None:
        announcement = feed.announce(account_id, "grant_revoked", credential_id=grant_id)
        asyncio.run_coroutine_threadsafe(announcement, loop)

    return announce
