"""The names that a SELECT sees, resolved as Postgres does it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from catalog_service.domain.sql import allowed
from catalog_service.domain.sql.errors import column_of, nearest_column
from catalog_service.storage.sql.tree import Node, Tree
from catalog_service.storage.sql.values import Value

Columns = Sequence[tuple[str, Value]]


@dataclass(frozen=True, slots=True)
class Relation:
    """The rows of a table, a subquery, a function or a join.

    Attributes:
        columns: All of them, as `*` gives them.
        names: Those that are reached by the name of their table.
        rows: How many there are at most; None if nothing says so.
    """

    columns: Columns
    names: Mapping[str, Columns] = field(default_factory=dict[str, Columns])
    rows: int | None = None


@dataclass(slots=True)
class Counts:
    """How much of what is limited a statement has so far."""

    weight: int = 0
    tables: int = 0
    set_operations: int = 0
    sorting_aggregates: int = 0
    windows: int = 0
    regex_size: int = 0


class Analysis(Protocol):
    """What the parts of the analysis need of each other."""

    @property
    def tree(self) -> Tree: ...

    @property
    def counts(self) -> Counts: ...

    @property
    def notes(self) -> dict[str, None]:
        """What the caller may not have meant, each once, in the order of the text."""
        ...

    def expression(self, node: Node, scope: "Scope") -> Value:
        """Return the value of an expression."""
        ...

    def condition(self, node: Node, scope: "Scope") -> Value:
        """Return the value of WHERE, in whose AND list subqueries become joins."""
        ...

    def select(self, node: Node, scope: "Scope") -> Relation:
        """Return the rows of a SELECT that `scope` surrounds."""
        ...


@dataclass(frozen=True, slots=True)
class Scope:
    """What an expression sees.

    Attributes:
        tables: Names that WITH gives.
        relations: What FROM gives.
        outer: The scope of the SELECT around this one.
        is_closed: True inside of an IN or EXISTS, which sees this SELECT and none around it.
    """

    analysis: Analysis
    tables: Mapping[str, Relation] = field(default_factory=dict[str, Relation])
    relations: tuple[Relation, ...] = ()
    outer: "Scope | None" = None
    is_closed: bool = False

    @property
    def rows(self) -> int | None:
        """How many rows FROM gives at most; None if nothing says so."""
        rows = 1
        for relation in self.relations:
            if relation.rows is None:
                return None
            rows *= relation.rows
        return rows if self.relations else None

    def inner(self) -> "Scope":
        """Return the scope of a SELECT inside of this one."""
        return Scope(self.analysis, self.tables, (), self)

    def of(self, *relations: Relation) -> "Scope":
        """Return the scope with these rows in the place of its own."""
        return replace(self, relations=relations)

    def find(self, names: Sequence[str], node: Node) -> Value:
        """Return the value of a column.

        Raises:
            SqlRefused: There is none, or several.
        """
        tree = self.analysis.tree
        if len(names) > 2:
            raise tree.refused("Write a column as table.column, or by its name alone.", node)
        scope: Scope | None = self
        while scope is not None:
            found = scope.find_here(names, node)
            if found is not None:
                return found if scope is self else replace(found, columns=0)
            if scope.is_closed and scope.outer is not None and scope.outer.sees(names, node):
                raise tree.refused(
                    "EXISTS and IN see the columns of the SELECT directly around them, and none further out; join that table, "
                    "or write (SELECT count(*) …) > 0.",
                    node,
                )
            scope = scope.outer
        raise self._unknown(names, node)

    def sees(self, names: Sequence[str], node: Node) -> bool:
        """Return whether a column is one of this SELECT, or of those around it."""
        scope: Scope | None = self
        while scope is not None:
            if scope.find_here(names, node) is not None:
                return True
            scope = scope.outer
        return False

    def has(self, name: str) -> bool:
        """Return whether a name alone is a column here, or around this SELECT."""
        scope: Scope | None = self
        while scope is not None:
            if any(
                name == column for relation in scope.relations for column, _ in relation.columns
            ):
                return True
            scope = scope.outer
        return False

    def find_here(self, names: Sequence[str], node: Node) -> Value | None:
        """Return a column of this SELECT's own rows; None if they have neither it nor its table."""
        *table, name = names
        parts = self._columns_of(table[0]) if table else [rows.columns for rows in self.relations]
        if parts is None:
            return None
        found = [value for part in parts for column, value in part if column == name]
        if len(found) > 1:
            raise self.analysis.tree.refused(
                f'column reference "{name}" is ambiguous: write the table before it, as table.{name}.',
                node,
            )
        if table and not found:
            raise self.analysis.tree.refused(
                f"column {table[0]}.{name} does not exist. {_advice(name, parts)}", node
            )
        return found[0] if found else None

    def _columns_of(self, table: str) -> Sequence[Columns] | None:
        """Return the columns under a table's name; None if FROM has no such name."""
        return [
            relation.names[table] for relation in self.relations if table in relation.names
        ] or None

    def _unknown(self, names: Sequence[str], node: Node) -> Exception:
        tree = self.analysis.tree
        *table, name = (part[:80] for part in names)
        if table:
            return tree.refused(
                f'missing FROM-clause entry for table "{table[0]}". A column is written with the name that FROM gives its table; '
                f"that of a subquery or a later table is not seen here.",
                node,
            )
        scope: Scope | None = self
        while scope is not None:
            if any(name in relation.names for relation in scope.relations):
                return tree.refused(
                    f"{name} names a table here, and a whole row is no value: write {name}.column.",
                    node,
                )
            scope = scope.outer
        advice = _advice(name, [rows.columns for rows in self.relations])
        if tree.is_quoted(node):
            advice = f"Double quotes are for names; text is written in single ones. {advice}"
        return tree.refused(f'column "{name}" does not exist. {advice}', node)


def _advice(name: str, parts: Sequence[Columns]) -> str:
    """Return advice for a column that none of these rows has: of one table by what that has."""
    if len(parts) == 1:
        return column_of(name[:80], [column for column, _ in parts[0]])
    return nearest_column(name)


_MAX_BYTES: Final = allowed.MAX_ROW


def check_row(tree: Tree, columns: Columns, node: Node) -> None:
    """Accept rows of a bounded width.

    Raises:
        SqlRefused: They have too many columns, or too large ones.
    """
    if len(columns) > allowed.MAX_COLUMNS:
        raise tree.refused(
            f"A SELECT has at most {allowed.MAX_COLUMNS} columns, also with those of *; this one has {len(columns)}. "
            "Name those that matter.",
            node,
        )
    if sum(value.size for _, value in columns if value.is_list) > allowed.MAX_LISTS:
        raise tree.refused(
            f"The lists of a row may get larger than {allowed.MAX_LISTS // 1000} kB together; set smaller LIMITs.",
            node,
        )
    if sum(value.size for _, value in columns if not value.is_list) > _MAX_BYTES:
        raise tree.refused(
            f"The values of a row may get larger than {_MAX_BYTES // 1000} kB together; select fewer or shorter ones.",
            node,
        )


def add_weight(analysis: Analysis, value: Value, node: Node) -> None:
    """Count the work of an expression, as of the whole statement.

    Raises:
        SqlRefused: It is too much.
    """
    analysis.counts.weight += value.weight
    if analysis.counts.weight > allowed.MAX_WEIGHT_OF_ALL:
        raise analysis.tree.refused(
            "The statement is too much work for each row, as it repeats the expressions of its subqueries; "
            "repeat their columns less often.",
            node,
        )


def add_tables(analysis: Analysis, node: Node) -> None:
    """Count an entry of FROM.

    Raises:
        SqlRefused: The statement has too many.
    """
    analysis.counts.tables += 1
    if analysis.counts.tables > allowed.MAX_TABLES:
        raise analysis.tree.refused(
            f"A statement reads at most {allowed.MAX_TABLES} tables, subqueries and functions in FROM; ask in two steps.",
            node,
        )
