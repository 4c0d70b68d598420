"""The statements of a migration, without a database that they would reach."""

from collections.abc import Iterator
from typing import Any, Final

from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from alembic.script import Script

from servicekit.migration.tokens import statements

_TRANSACTIONS: Final = frozenset({"BEGIN", "COMMIT"})


def statements_of(script: Script) -> tuple[str, ...]:
    """Return the statements that a migration would run, each without its semicolon.

    Where a migration computes rows by Python, its queries find none here: the statements are the same, with other values.
    """
    recorded = _Recorded()
    options = {"as_sql": True, "output_buffer": recorded, "transaction_per_migration": True}
    context = MigrationContext.configure(dialect_name="postgresql", opts=options)
    empty: Any = _Connection(recorded)
    context.impl.connection = empty
    with Operations.context(context):
        script.module.upgrade()
    found = (part for text in recorded.texts for part in statements(text))
    return tuple(statement for statement in found if statement.upper() not in _TRANSACTIONS)


class _Recorded:
    """What Alembic writes scripts to."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def write(self, text: str) -> None:
        self.texts.append(text)

    def flush(self) -> None:
        """Do nothing: all is here."""


class _Connection:
    """A connection, or the driver's own behind it, on which nothing is found."""

    def __init__(self, recorded: _Recorded) -> None:
        self._recorded = recorded

    @property
    def connection(self) -> "_Connection":
        return self

    @property
    def driver_connection(self) -> "_Connection":
        return self

    def execute(self, statement: object, *_parameters: object) -> "_NoRows":
        self._recorded.write(str(statement))
        return _NoRows()

    def scalar(self, statement: object, *parameters: object) -> None:
        self.execute(statement, *parameters)


class _NoRows:
    """The result of a query that finds nothing."""

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def all(self) -> list[Any]:
        return []

    def scalars(self) -> "_NoRows":
        return self
