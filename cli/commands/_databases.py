"""The databases that a command reaches by itself, without a service."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager

from cli.commands._backup_shell import locations
from devstack.settings import BackupSettings
from servicekit.settings import read


@contextmanager
def database_urls() -> Generator[Mapping[str, str]]:
    """Give the databases that the environment names, else the home's, whose engines are started if need be.

    Raises:
        HomeError: Neither is there.
    """
    if urls := read(BackupSettings).database_urls:
        yield urls
        return
    with locations(None, None, None, None) as databases:
        yield databases.databases
