"""An upgrade from the last release, part by part: callers are served on each step, and the way back is open until the end.

The code of the last release comes out of git's history and runs with the present dependencies. Where the history does not have
it, these tests skip, and say so.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from devstack.engines import Postgres
from devstack.schemas import SERVICES, known_revisions, migrations_of
from devstack.services import DATABASES
from servicekit.migration.command import migrate
from tests.e2e.neighbours import REPLACED_IN_ORDER, Installation, installation
from tests.released import environment_of, extract, last_release

pytestmark = [pytest.mark.timeout(420, func_only=True)]


async def read_and_write(parts: Installation, step: str, key: str, channel: str) -> None:
    """Call a tool with a key of before and with a new one, import a channel, and find its brand."""
    new_key = await parts.account(f"{step}@example.com")
    for known in (key, new_key):
        assert (await parts.call(known, "category.list"))["categories"] is not None
    status = await parts.imported(new_key, channel)
    assert status["state"] == "done", (step, status)
    found = await parts.call(key, "youtuber.sponsors", youtuber=f"@{channel}")
    assert found["sponsors"], (step, found)


async def test_callers_are_served_on_each_step_of_an_upgrade(
    postgres: Postgres, fresh_database: Callable[[], str], tmp_path: Path
) -> None:
    released = extract(tmp_path / "released")
    urls = {name: fresh_database() for name in DATABASES}
    async with installation(tmp_path, postgres, urls) as parts:
        await parts.migrate(released)
        assert parts.schemas() == last_release().schemas
        await parts.start(released, *REPLACED_IN_ORDER)
        key = await parts.account("before@example.com")
        await read_and_write(parts, "released", key, "first")

        # The last release's code goes on, and starts again, on the new schema.
        for name, url in urls.items():
            await asyncio.to_thread(migrate, url, migrations_of(name))
        assert parts.schemas() == {name: known_revisions(name)[-1] for name in SERVICES}
        await parts.replace(released, "catalog_service", "auth_service")
        await read_and_write(parts, "migrated", key, "second")
        assert "old@example.com" in await parts.sign_up("old@example.com")

        # Each of its parts works beside the new ones.
        for name in REPLACED_IN_ORDER:
            await parts.replace(None, name)
            if name in ("import_jobs", "gateway"):
                await read_and_write(parts, name, key, name.replace("_", ""))
            else:
                await parts.call(key, "youtuber.get", youtuber="@first")
        assert "new@example.com" in await parts.sign_up("new@example.com")

        # And back: what the new code has written is read by the last release's.
        await parts.replace(released, "catalog_service", "auth_service", "gateway")
        await read_and_write(parts, "back", key, "back")
        assert await parts.usage("before@example.com") > 5


def test_the_release_that_is_named_has_the_schemas_that_are_named(tmp_path: Path) -> None:
    """And its code is what a process with that environment runs."""
    released = extract(tmp_path)
    newest = {
        name: max((released / package / "migrations" / "versions").glob("[0-9]*_*.py")).name
        for name, package in SERVICES.items()
    }
    assert {name: file.partition("_")[0] for name, file in newest.items()} == last_release().schemas
    program = "import auth_service, servicekit; print(auth_service.__file__, servicekit.__file__)"
    environment = {**os.environ, **environment_of(released)}
    shown = subprocess.check_output([sys.executable, "-c", program], env=environment, text=True)
    assert all(Path(file).is_relative_to(released) for file in shown.split())
