"""A process's copy of the signing keys."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from sqlalchemy import create_engine

from auth_service.storage.oauth.keys import EncryptedKeys, KeyRing
from tests.integration.auth_service.conftest import Service


async def test_a_key_is_decrypted_once_and_again_only_after_a_rotation(service: Service) -> None:
    engine = create_engine(
        service.settings.database_url.replace("postgresql:", "postgresql+psycopg:")
    )
    try:
        keys = KeyRing(
            engine,
            EncryptedKeys(service.settings.token_secret.get_secret_value()),
            lambda: datetime.now(UTC),
        )
        first, again = keys.refresh(), keys.refresh()
        assert again.active is first.active
        keys.rotate(timedelta(minutes=10), "ann@example.com", "planned")
        rotated = keys.refresh()
        assert rotated.active.kid in {key.kid for key in first.published} - {first.active.kid}
        assert first.active in rotated.published
    finally:
        engine.dispose()
