"""A process's copy of the signing keys."""

from __future__ import annotations

from collections.abc import Callable, Generator
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Engine, create_engine
from structlog.testing import capture_logs

from auth_service import MIGRATIONS
from auth_service.storage.oauth.keys import EncryptedKeys, KeyRing
from servicekit.migration.command import migrate

LIFETIME = timedelta(hours=1)
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


class Clock:
    """A clock that is set."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture(scope="module")
def database(fresh_database: Callable[[], str]) -> str:
    """The URL of a database that no service uses."""
    url = fresh_database()
    migrate(url, MIGRATIONS)
    return url


@pytest.fixture
def engine(database: str) -> Generator[Engine]:
    """A database without keys."""
    engine = create_engine(database.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        connection.exec_driver_sql("DELETE FROM oauth_signing_keys")
    yield engine
    engine.dispose()


@pytest.fixture
def clock() -> Clock:
    return Clock()


def ring_of(secret: str, engine: Engine, clock: Clock) -> KeyRing:
    return KeyRing(engine, EncryptedKeys(secret), clock)


def test_a_key_is_decrypted_once_and_again_only_after_a_rotation(
    engine: Engine, clock: Clock
) -> None:
    keys = ring_of("first secret", engine, clock)
    first, again = keys.refresh(), keys.refresh()
    assert again.active is first.active
    clock.now += timedelta(hours=1)
    keys.rotate(LIFETIME, "ann@example.com", "planned")
    rotated = keys.refresh()
    assert rotated.active.kid in {key.kid for key in first.published} - {first.active.kid}
    assert first.active in rotated.published


def test_a_key_signs_only_when_whoever_fetched_the_keys_before_it_has_fetched_them_again(
    engine: Engine, clock: Clock
) -> None:
    keys = ring_of("first secret", engine, clock)
    keys.refresh()
    clock.now += timedelta(hours=1)
    first = keys.rotate(LIFETIME, "ann@example.com", "planned")
    assert (keys.keys.active.kid, first.active_from) == (first.kid, clock.now)
    clock.now += timedelta(seconds=1)
    second = keys.rotate(LIFETIME, "ann@example.com", "once more")
    assert keys.keys.active.kid == first.kid
    clock.now = second.active_from - timedelta(seconds=1)
    assert keys.refresh().active.kid == first.kid
    clock.now = second.active_from
    assert keys.refresh().active.kid == second.kid
    clock.now += 2 * LIFETIME - timedelta(seconds=1)
    assert first.kid in {key.kid for key in keys.refresh().published}
    clock.now += timedelta(seconds=1)
    assert first.kid not in {key.kid for key in keys.refresh().published}


def test_a_replica_whose_clock_is_behind_signs_with_the_first_key(
    engine: Engine, clock: Clock
) -> None:
    first = ring_of("first secret", engine, clock).refresh()
    late = Clock()
    late.now = NOW - timedelta(seconds=2)
    assert (
        ring_of("first secret", engine, late).refresh().active.thumbprint()
        == first.active.thumbprint()
    )


def test_keys_of_another_secret_are_set_aside_with_one_line_until_the_secret_is_back(
    engine: Engine, clock: Clock
) -> None:
    before = ring_of("first secret", engine, clock).refresh()
    other = ring_of("second secret", engine, clock)
    with capture_logs() as lines:
        new, again = other.refresh(), other.refresh()
    assert new.active is again.active
    assert {key.kid for key in new.published}.isdisjoint(key.kid for key in before.published)
    (line,) = [line for line in lines if line["event"] == "signing_keys_set_aside"]
    assert "AUTH_TOKEN_SECRET" in line["reason"]
    back = ring_of("first secret", engine, clock).refresh()
    assert [key.kid for key in back.published] == [key.kid for key in before.published]
    assert back.active.kid == before.active.kid


def test_a_rotation_leaves_the_keys_of_another_secret_as_they_are(
    engine: Engine, clock: Clock
) -> None:
    before = ring_of("first secret", engine, clock).refresh()
    other = ring_of("second secret", engine, clock)
    published = {key.kid for key in other.refresh().published}
    clock.now += timedelta(hours=1)
    assert other.rotate(LIFETIME, "ann@example.com", "planned").kid in published
    clock.now += timedelta(days=1)
    back = ring_of("first secret", engine, clock).refresh()
    assert [key.kid for key in back.published] == [key.kid for key in before.published]
