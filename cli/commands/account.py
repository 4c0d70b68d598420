"""`sponsorgraph account`: all of its commands."""

from typing import Final

import typer

from cli.commands import account_access, account_limits
from cli.commands.accounts import accounts

app: Final[typer.Typer] = accounts
for _name, _command in {**account_access.COMMANDS, **account_limits.COMMANDS}.items():
    app.command(_name)(_command)
