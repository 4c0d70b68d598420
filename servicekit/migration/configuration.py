"""Alembic's configuration for the migrations of one service."""

from pathlib import Path

from alembic.config import Config
from alembic.script import ScriptDirectory

from servicekit.database_url import driver_url


def of(url: str, migrations: Path) -> tuple[Config, ScriptDirectory]:
    """Return the configuration for a database, and the scripts in the folder."""
    config = Config()
    config.set_main_option("script_location", str(migrations))
    config.set_main_option("sqlalchemy.url", driver_url(url).replace("%", "%%"))
    return config, ScriptDirectory.from_config(config)
