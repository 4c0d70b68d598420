"""Fill the days until which sponsors' relations are known.

No import may run by earlier code from here on: it would not bring the days up to date (docs/operations.md, "Upgrade").

Revision ID: 0017
"""

from servicekit.migration.operations import fill_in_batches

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

_FILL = """
UPDATE sponsors SET current_until = days.current_until, open_until = days.open_until,
                    lapsed_until = days.lapsed_until
FROM (
  SELECT sponsor_id, max(last_video) FILTER (WHERE is_recent) AS current_until,
         max(CASE WHEN is_recent THEN last_video ELSE last_seen END)
           FILTER (WHERE is_recent OR NOT is_silent) AS open_until,
         max(last_video) FILTER (WHERE NOT is_recent AND is_silent) AS lapsed_until
  FROM (
    SELECT relation.sponsor_id, relation.last_seen, channel.last_video,
           relation.last_seen >= channel.last_video - 180 AS is_recent,
           coalesce(channel.latest_videos_since > relation.last_seen, false) AS is_silent
    FROM sponsor_youtubers AS relation JOIN youtubers AS channel ON channel.id = relation.youtuber_id
    WHERE relation.sponsor_id BETWEEN :first AND :last
  ) AS known
  GROUP BY sponsor_id
) AS days
WHERE sponsors.id = days.sponsor_id AND sponsors.id BETWEEN :first AND :last"""


def upgrade() -> None:
    fill_in_batches(revision, "sponsors", _FILL, batch_rows=1_000)


def downgrade() -> None:
    pass
