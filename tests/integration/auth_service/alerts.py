"""A catalogue, a site and a person who watches, for the tests of alerts."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any

import grpc.aio

from protos.alerts.v1 import alerts_pb2_grpc
from protos.catalog.v1 import catalog_pb2
from servicekit.grpc import client as grpc_client
from tests.clients.person import Person
from tests.fakes.peers import CREDENTIALS
from tests.fakes.webhook_receiver import WebhookReceiver
from tests.integration.auth_service.conftest import Service
from tests.integration.catalog_service.conftest import Catalog
from tests.integration.catalog_service.example import claim, sponsor, video, youtuber

PAGE = "/account/alerts"
BRAND = "azura-vpn"


def ago(days: int) -> str:
    return str(datetime.now(UTC).date() - timedelta(days=days))


@dataclass(slots=True)
class Alerts:
    """A running service with a catalogue behind it."""

    service: Service
    catalog: Catalog
    receiver: WebhookReceiver
    stub: Any
    count: int = field(default=0)

    async def known(self) -> None:
        """Have the catalogue know a brand and a creator, and the service where its events begin."""
        await self.catalog.ingest(
            [
                sponsor(BRAND, "Azura VPN", "azuravpn.com", "vpn"),
                sponsor("brightmeal", "BrightMeal", "brightmeal.com", "food"),
                youtuber("ada", "Ada"),
            ]
        )

    async def sponsored(self, brand: str = BRAND, videos: int = 1) -> list[str]:
        """Have the ingest find new sponsorships, one batch each; return the keys of the videos."""
        keys = [f"v{self.count + number}" for number in range(videos)]
        self.count += videos
        batches: list[list[catalog_pb2.IngestItem]] = [
            [video(key, "ada", ago(2), 10, claim(brand, "paid_sponsorship", 0.9), title=key)]
            for key in keys
        ]
        reply = await self.catalog.ingest(*batches)
        assert not reply.rejected
        return keys


@asynccontextmanager
async def stub_of(service: Service) -> AsyncGenerator[Any]:
    channel: grpc.aio.Channel
    async with grpc_client.open_channel(service.target, credentials=CREDENTIALS) as channel:
        yield alerts_pb2_grpc.AlertsStub(channel)


async def add_channel(person: Person, kind: str, **fields: str) -> str:
    """Add a channel on the page; return the signing secret that it shows, if it does."""
    await person.visit(PAGE)
    shown = await person.submit(f"{PAGE}/channels", kind=kind, name=f"My {kind}", **fields)
    assert shown.status_code == 200, shown.text
    secret = re.search(r"whsec_[A-Za-z0-9+/=]+", unescape(shown.text))
    return secret[0] if secret else ""


async def add_watch(person: Person, subject: str = BRAND, about: str = "sponsor") -> None:
    """Watch a subject by the channel that was added last."""
    shown = await person.visit(PAGE)
    ids = re.findall(r'<option value="(chan_[^"]+)"', shown.text)
    channel = ids[-1] if ids else "email"
    shown = await person.submit(f"{PAGE}/watches", about=about, subject=subject, channel=channel)
    assert shown.status_code == 200, shown.text
