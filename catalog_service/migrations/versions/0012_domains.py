"""A domain is found as an address: its suffix belongs to no name. Orders by name are paged by key.

Revision ID: 0012
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

DOMAINS = """
UPDATE sponsor_names AS n SET is_domain = true FROM sponsors AS s
WHERE s.id = n.sponsor_id AND NOT n.is_label AND n.name_key <> s.name_key
  AND n.name_key IN (SELECT normalised(domain) FROM unnest(s.domains) AS domain)
  AND n.name_key NOT IN (SELECT normalised(alias) FROM unnest(s.aliases) AS alias)
"""


def upgrade() -> None:
    op.add_column(
        "sponsor_names",
        sa.Column("is_domain", sa.Boolean(), server_default=sa.false(), nullable=False),
    )
    op.alter_column("sponsor_names", "is_domain", server_default=None)
    op.execute(DOMAINS)
    for table in ("sponsors", "youtubers"):
        op.create_index(f"{table}_name_order_idx", table, [sa.text('"left"(name_key, 100)'), "id"])
    op.drop_index("sponsors_name_key_idx", "sponsors")


def downgrade() -> None:
    op.create_index("sponsors_name_key_idx", "sponsors", ["name_key", "id"])
    for table in ("sponsors", "youtubers"):
        op.drop_index(f"{table}_name_order_idx", table)
    op.drop_column("sponsor_names", "is_domain")
