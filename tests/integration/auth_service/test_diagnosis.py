"""What the auth service finds of the things that it depends on, for `sponsorgraph doctor`."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
import redis.asyncio as redis
from pydantic import SecretStr

from auth_service import app
from auth_service.clients.mail_server import MailServer
from auth_service.domain.diagnosis.checks import check_backup, check_clock, check_mail_folder
from auth_service.domain.diagnosis.model import Diagnosis
from auth_service.settings import AuthSettings
from auth_service.storage.backup_age import KEY
from cli.clients.diagnostics import diagnosis
from devstack.ports import free_port
from servicekit.errors import PermissionDenied
from shapes.auth.diagnostics import DiagnosisFinding
from tests.fakes.mail_server import mail_server
from tests.fakes.peers import CREDENTIALS
from tests.integration.auth_service.billing_shop import LIBRARY_WARNS, open_shop
from tests.integration.auth_service.conftest import TOKEN, Service, running

OPENING: Any = redis.Redis


async def found(service: Service, token: str = TOKEN) -> Mapping[str, Sequence[Any]]:
    """Return the findings by subject, as the command gets them."""
    findings = await asyncio.to_thread(diagnosis, service.target, token, CREDENTIALS)
    subjects = dict.fromkeys(finding.subject for finding in findings)
    return {name: [f for f in findings if f.subject == name] for name in subjects}


@LIBRARY_WARNS
async def test_wrong_prices_are_reported_and_good_ones_are_not(
    fresh_database: Callable[[], str], valkey_url: str, tmp_path: Path
) -> None:
    prices = {
        "creator": ("price_creator", "price_creator_old"),
        "creator_agent": ("price_agnet", "price_for_ever"),
    }
    async with open_shop(fresh_database(), valkey_url, tmp_path, stripe_prices=prices) as shop:
        findings = await found(shop.service)
        creator, agent = (
            findings["Stripe price of creator"],
            findings["Stripe price of creator_agent"],
        )
        assert [(f.fine, f.remedy) for f in creator] == [(True, "")] * 2
        assert [f.fine for f in agent] == [False] * 2
        assert agent[0].detail == "price_agnet is not known to Stripe"
        assert "charged once" in agent[1].detail
        assert "AUTH_STRIPE_PRICES" in agent[0].remedy
        shop.stripe.down = True
        (first, *_) = (await found(shop.service))["Stripe price of creator"]
        assert (first.fine, "cannot be looked up now" in first.detail) == (False, True)


@LIBRARY_WARNS
async def test_an_archived_price_that_is_sold_and_a_refused_key_are_reported(
    fresh_database: Callable[[], str], valkey_url: str, tmp_path: Path
) -> None:
    prices = {"creator": ("price_creator_old",)}
    async with open_shop(fresh_database(), valkey_url, tmp_path, stripe_prices=prices) as shop:
        (finding,) = (await found(shop.service))["Stripe price of creator"]
        assert (finding.fine, "is archived" in finding.detail) == (False, True)
        settings = shop.service.settings.model_copy(
            update={"stripe_secret_key": SecretStr("sk_of_another"), "http_port": free_port()}
        )
        async with running(settings) as other:
            (finding,) = (await found(other))["Stripe price of creator"]
        assert (finding.fine, "refuses the key" in finding.detail) == (False, True)


async def test_nobody_but_operators_gets_the_findings(service: Service) -> None:
    with pytest.raises(PermissionDenied):
        await found(service, "x")
    findings = await found(service)
    assert set(findings) == {"Clock", "Valkey of the auth service", "Last backup", "Mails"}
    assert all(finding.fine for of_subject in findings.values() for finding in of_subject)


async def test_a_valkey_that_refuses_the_password_is_named_with_the_setting(
    auth_settings: AuthSettings,
) -> None:
    url = urlsplit(auth_settings.valkey_url)
    wrong = url._replace(netloc=f":wrong-secret@{url.hostname}:{url.port}").geturl()
    changed = {"valkey_url": wrong, "http_port": free_port()}
    async with running(auth_settings.model_copy(update=changed)) as service:
        (finding,) = (await found(service))["Valkey of the auth service"]
    assert not finding.fine
    assert finding.detail == "Valkey refuses the credentials of AUTH_VALKEY_URL."


async def test_the_mail_server_is_connected_to_and_gets_no_mail(
    auth_settings: AuthSettings,
) -> None:
    async with mail_server("none", None) as served:
        changed = {
            "smtp_host": "127.0.0.1",
            "smtp_port": served.port,
            "smtp_security": "none",
            "smtp_username": "ada",
            "smtp_password": SecretStr("secret"),
            "http_port": free_port(),
        }
        async with running(auth_settings.model_copy(update=changed)) as service:
            (finding,) = (await found(service))["Mail server"]
            assert finding.fine
            assert b"AUTH" in served.commands
            assert served.mails == []
            changed_row = "INSERT INTO mail_outbox (content, due_at, expires_at, attempts) "
            with psycopg.connect(auth_settings.database_url, autocommit=True) as connection:
                connection.execute(
                    changed_row + "VALUES ('', now() + '1 h', now() + '2 h', 3), "
                    "('', now() + '1 h', now() + '2 h', 0)"
                )
                (waiting,) = (await found(service))["Mails that wait"]
                connection.execute("DELETE FROM mail_outbox")
            assert waiting.detail == "2, of which 1 were tried in vain"
            assert not waiting.fine


def test_a_mail_server_that_is_not_there_is_a_problem_in_words() -> None:
    port = free_port()
    server = MailServer("127.0.0.1", port, "none", "", "")
    assert "refused" in server.problem()
    assert str(port) in server.problem()


async def test_an_old_backup_is_reported_and_none_at_all_where_the_site_is_for_others(
    service: Service,
) -> None:
    valkey = OPENING.from_url(service.settings.valkey_url)
    await valkey.set(KEY, time.time() - 30 * 3600)
    (finding,) = (await found(service))["Last backup"]
    await valkey.delete(KEY)
    await valkey.aclose()
    assert (finding.fine, finding.detail) == (False, "30 hours ago")

    async def none() -> datetime | None:
        return None

    for is_local in (True, False):
        (finding,) = await check_backup(none, app.now, is_local=is_local)
        assert finding.fine == is_local
        (finding,) = await check_mail_folder("/mails", is_local=is_local)
        assert finding.fine == is_local


@pytest.mark.parametrize(("seconds", "fine"), [(0.0, True), (-5.0, False), (5.0, False)])
async def test_a_clock_that_differs_from_the_databases_is_reported(
    *, seconds: float, fine: bool
) -> None:
    async def database_time() -> datetime:
        return app.now() + timedelta(seconds=seconds)

    (finding,) = await check_clock(database_time, app.now)
    assert finding.fine == fine
    assert "NTP" in finding.remedy


async def test_a_check_that_fails_or_hangs_is_a_finding_and_the_others_are_made() -> None:
    async def hangs() -> Sequence[DiagnosisFinding]:
        await asyncio.sleep(30)
        return []

    async def fails() -> Sequence[DiagnosisFinding]:
        raise ConnectionError

    async def works() -> Sequence[DiagnosisFinding]:
        return [DiagnosisFinding("C", fine=True)]

    checks = {"A": hangs, "B": fails, "C": works}
    findings = await Diagnosis(checks, deadline_seconds=0.05).findings()
    assert [(f.subject, f.fine) for f in findings] == [("A", False), ("B", False), ("C", True)]
    assert "0.05 seconds" in findings[0].detail
    assert "ConnectionError" in findings[1].detail
