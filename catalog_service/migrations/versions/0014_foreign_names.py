"""Sponsors are found by their names in other alphabets."""

import json

import sqlalchemy as sa
from alembic import op

from catalog_service.domain import foreign_names

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    connection = op.get_bind()
    spellings = [
        {"id": row.id, "spelling": name}
        for row in connection.execute(sa.text("SELECT id, slug FROM sponsors"))
        for name in foreign_names.names_of(row.slug)
    ]
    statement = (
        "INSERT INTO sponsor_names (name_key, sponsor_id, is_label, is_domain) "
        "SELECT DISTINCT normalised(spelling), id, false, false "
        "FROM json_to_recordset(:spellings) AS given(id bigint, spelling text) "
        "WHERE normalised(spelling) <> '' ON CONFLICT DO NOTHING"
    )
    connection.execute(sa.text(statement), {"spellings": json.dumps(spellings)})


def downgrade() -> None:
    """Leave the names: they are found by more, and the next change of a sponsor takes them away."""
