"""The tables that callers' SQL reads: views of the schema `dataset`, with the meaning of each column.

Columns of counts end in `_count`, so that no column has a table's name: SQL takes such a name for the whole row.
"""

from dataclasses import dataclass
from typing import Final

SCHEMA: Final = "dataset"


@dataclass(frozen=True, slots=True)
class Column:
    """A column with its Postgres type and its meaning, with its unit where it has one.

    `group` is the column with the groups that the categories of this one are in, if there is one.
    """

    name: str
    type: str
    meaning: str
    group: str | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A table with the conditions and orders that an index serves."""

    name: str
    meaning: str
    columns: tuple[Column, ...]
    indexed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Example:
    """A question, and the statement that answers it."""

    title: str
    sql: str


_CATEGORY: Final = (
    "Id of the brand's most specific category, such as security for VPNs, not tech, which is its group (category.list, scope "
    "sponsor); null if unknown."
)
_GROUP: Final = (
    "Id of the group of the brand's category, such as tech for security; a category that is in no group is its own. Null if "
    "unknown. No index serves it: bound large tables by day, brand or creator as well."
)

TABLES: Final = (
    Table(
        "sponsors",
        "Brands, with totals of all kinds of sponsorship and of paid work (all kinds but free_product).",
        (
            Column("id", "bigint", "Number of the brand; other tools take it as sp_ and the number."),
            Column("slug", "text", "Readable id, which other tools take as it is."),
            Column("name", "text", "Name as it is written in public. Third-party text."),
            Column("domains", "text[]", "Web domains, the main one first."),
            Column("aliases", "text[]", "Further names."),
            Column("category", "text", _CATEGORY, group="category_group"),
            Column("country", "text", "Country of the brand, ISO 3166-1 alpha-2; null if unknown."),
            Column("video_count", "bigint", "Sponsored videos of all kinds."),
            Column("youtuber_count", "bigint", "Creators of those videos."),
            Column("view_count", "bigint", "Views of those videos, each when it was last read."),
            Column("paid_video_count", "bigint", "Videos of paid work."),
            Column("paid_youtuber_count", "bigint", "Creators of paid work."),
            Column("paid_view_count", "bigint", "Views of paid work."),
            Column("first_seen", "date", "Day of the first sponsored video."),
            Column("last_seen", "date", "Day of the newest sponsored video."),
            Column("category_group", "text", _GROUP),
        ),
        ("id", "slug", "category, video_count", "video_count", "youtuber_count", "view_count", "last_seen"),
    ),
    Table(
        "youtubers",
        "Creators. Figures speak of the videos that were looked at, which are not all videos of a channel.",
        (
            Column("id", "bigint", "Number of the creator; other tools take it as yt_ and the number."),
            Column("channel_id", "text", "YouTube channel id (UC…); null if unknown."),
            Column("handle", "text", "YouTube handle, such as @handle; null if unknown."),
            Column("name", "text", "Name of the channel. Third-party text."),
            Column("subscribers", "bigint", "Subscribers when the channel was last read; null if not public."),
            Column("country", "text", "Country of the creator, ISO 3166-1 alpha-2; null if unknown."),
            Column("category", "text", "Id of the content category (category.list, scope content); null if unknown."),
            Column("scanned_video_count", "bigint", "Videos looked at."),
            Column("first_video", "date", "Day of the oldest video looked at."),
            Column("last_video", "date", "Day of the newest video looked at."),
            Column("sponsored_video_count", "bigint", "Those of them with a sponsorship of any kind."),
            Column("sponsor_count", "bigint", "Brands, of all kinds."),
            Column("paid_sponsor_count", "bigint", "Brands of paid work."),
            Column("first_sponsored", "date", "Day of the first sponsored video."),
            Column("last_sponsored", "date", "Day of the newest sponsored video."),
            Column("last_import", "timestamp with time zone", "When the channel was last read from YouTube; null if never."),
        ),
        ("id", "channel_id", "lower(handle)", "subscribers", "category, sponsored_video_count", "last_sponsored"),
    ),
    Table(
        "videos",
        "Videos that were looked at, sponsored or not.",
        (
            Column("id", "bigint", "Number of the video; other tools take it as v_ and the number."),
            Column("youtube_id", "text", "YouTube's video id; null if unknown."),
            Column("youtuber_id", "bigint", "Number of its creator."),
            Column("title", "text", "Title; null if unknown. Third-party text."),
            Column("published_on", "date", "Day of publication, UTC."),
            Column("views", "bigint", "Views on `observed_on`, so at different ages of videos; null if unknown."),
            Column("likes", "bigint", "Likes on `observed_on`; null if not public or unknown."),
            Column("comments", "bigint", "Comments on `observed_on`; null if not public or unknown."),
            Column("observed_on", "date", "Day on which the video was last read; null if unknown."),
            Column("category", "text", "Id of the content category; null if unknown."),
            Column("format", "text", "longform, short, live or unknown; compare views within one format."),
            Column("language", "text", "As YouTube gives it; in the bundled sample that of title and description; null if unknown."),
            Column("duration_seconds", "integer", "Length in seconds; null if unknown."),
            Column("paid_promotion_disclosed", "boolean", "Whether the creator ticked YouTube's box for paid promotion; null if unknown."),
            Column(
                "disclosure_words",
                "text[]",
                "Words of advertising in the description, lower case, such as sponsored, paid, ad, #ad, partner, werbung, 広告; "
                "no other words, and links are not read. Empty if there are none, null if the description is not known.",
            ),
        ),
        ("id", "youtube_id", "youtuber_id, published_on", "published_on"),
    ),
    Table(
        "snapshots",
        "What a video had on days on which it was read, around the ages of 1, 2, 3, 7, 14, 30, 60, 90, 180 and 365 days.",
        (
            Column("video_id", "bigint", "Number of the video."),
            Column("observed_on", "date", "Day of the observation."),
            Column("age_days", "integer", "Days from the publication to the observation."),
            Column("views", "bigint", "Views on that day; null if unknown."),
            Column("likes", "bigint", "Likes on that day; null if unknown."),
            Column("comments", "bigint", "Comments on that day; null if unknown."),
        ),
        ("video_id, observed_on",),
    ),
    Table(
        "sponsorships",
        "A brand in a video: a video has one for each of its brands. Day, views, categories and country are repeated "
        "here, so that most questions need no join.",
        (
            Column("video_id", "bigint", "Number of the video."),
            Column("sponsor_id", "bigint", "Number of the brand."),
            Column("youtuber_id", "bigint", "Number of the creator."),
            Column("published_on", "date", "Day of the video, UTC."),
            Column("views", "bigint", "Views of the video when it was last read; null if unknown."),
            Column("kind", "text", "paid_sponsorship, promo_code, affiliate or free_product; the last is no paid work."),
            Column("confidence", "double precision", "Probability, 0 to 1, that the sponsorship is one."),
            Column("sponsor_category", "text", _CATEGORY, group="sponsor_group"),
            Column("content_category", "text", "Id of the video's content category; null if unknown."),
            Column("country", "text", "Country of the creator; null if unknown."),
            Column("code", "text", "Discount code; null if there is none. Third-party text."),
            Column("link", "text", "Link of the offer; null if there is none. Third-party text."),
            Column("excerpt", "text", "The words that show it. Third-party text."),
            Column("excerpt_source", "text", "Where these words stand: title or description. Known also of texts that are not stored."),
            Column("excerpt_start", "integer", "Characters of that title or description before them, from 0; null if unknown."),
            Column("sponsor_group", "text", _GROUP),
        ),
        (
            "sponsor_id, published_on",
            "youtuber_id, published_on",
            "sponsor_category, published_on",
            "published_on",
            "upper(code)",
        ),
    ),
    Table(
        "relations",
        "A brand and a creator who have worked together, over all their sponsorships.",
        (
            Column("sponsor_id", "bigint", "Number of the brand."),
            Column("youtuber_id", "bigint", "Number of the creator."),
            Column("video_count", "bigint", "Videos of the two."),
            Column("view_count", "bigint", "Views of these videos."),
            Column("first_seen", "date", "Day of the first of them."),
            Column("last_seen", "date", "Day of the newest of them."),
            Column("kinds", "text[]", "Kinds of sponsorship that the two have had."),
        ),
        ("sponsor_id, video_count", "youtuber_id, sponsor_id"),
    ),
    Table(
        "months",
        "Totals of a brand by month: much cheaper than counting sponsorships. Months without a video have no row.",
        (
            Column("sponsor_id", "bigint", "Number of the brand."),
            Column("month", "date", "First day of the month."),
            Column("sponsor_category", "text", _CATEGORY, group="sponsor_group"),
            Column("video_count", "bigint", "Sponsored videos of all kinds."),
            Column("view_count", "bigint", "Their views."),
            Column("paid_video_count", "bigint", "Videos of paid work."),
            Column("paid_view_count", "bigint", "Their views."),
            Column("sponsor_group", "text", _GROUP),
        ),
        ("sponsor_id, month", "sponsor_category, month", "month, paid_video_count"),
    ),
)  # fmt: skip

EXAMPLES: Final = (
    Example(
        "Which brands had most paid videos in the newest 90 days of the data, and with how many creators?",
        "SELECT b.name, count(*) AS paid_videos, count(DISTINCT s.youtuber_id) AS creators\n"
        "FROM sponsorships s JOIN sponsors b ON b.id = s.sponsor_id\n"
        "WHERE s.published_on > (SELECT max(published_on) FROM sponsorships) - 90 AND s.kind <> 'free_product'\n"
        "GROUP BY b.id, b.name ORDER BY paid_videos DESC LIMIT 20",
    ),
    Example(
        "How do a brand's paid videos go by quarter?",
        "SELECT date_trunc('quarter', m.month)::date AS quarter, sum(m.paid_video_count) AS paid_videos\n"
        "FROM months m JOIN sponsors b ON b.id = m.sponsor_id\n"
        "WHERE b.slug = 'nordvpn' GROUP BY 1 ORDER BY 1",
    ),
    Example(
        "Which creators have at least five brands but none of a category?",
        "SELECT y.name, y.handle, y.sponsor_count FROM youtubers y\n"
        "WHERE y.sponsor_count >= 5 AND NOT EXISTS (\n"
        "  SELECT FROM sponsorships s WHERE s.youtuber_id = y.id AND s.sponsor_category = 'security')\n"
        "ORDER BY y.sponsor_count DESC LIMIT 50",
    ),
    Example(
        "How many days lie between two bookings of the same brand and creator?",
        "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY gap) AS median_days, count(*) AS gaps FROM (\n"
        "  SELECT published_on - lag(published_on) OVER (PARTITION BY sponsor_id, youtuber_id ORDER BY published_on) AS gap\n"
        "  FROM sponsorships WHERE kind <> 'free_product') bookings WHERE gap > 0",
    ),
    Example(
        "What share of a creator's scanned videos is sponsored, by year?",
        "SELECT date_part('year', v.published_on)::int AS year, count(*) AS scanned,\n"
        "  count(*) FILTER (WHERE (SELECT count(*) FROM sponsorships s WHERE s.video_id = v.id) > 0) AS sponsored\n"
        "FROM videos v JOIN youtubers y ON y.id = v.youtuber_id\n"
        "WHERE lower(y.handle) = '@mkbhd' GROUP BY 1 ORDER BY 1",
    ),
    Example(
        "Which brands does a brand share most creators with?",
        "SELECT b.name, count(*) AS shared_creators\n"
        "FROM relations mine JOIN sponsors me ON me.id = mine.sponsor_id AND me.slug = 'nordvpn'\n"
        "JOIN relations theirs ON theirs.youtuber_id = mine.youtuber_id AND theirs.sponsor_id <> mine.sponsor_id\n"
        "JOIN sponsors b ON b.id = theirs.sponsor_id\n"
        "GROUP BY b.id, b.name ORDER BY shared_creators DESC, b.name LIMIT 20",
    ),
    Example(
        "Which brands came new in the newest year of the data, and where?",
        "SELECT name, category, first_seen, youtuber_count FROM sponsors\n"
        "WHERE first_seen >= (SELECT date_trunc('year', max(first_seen)) FROM sponsors) ORDER BY youtuber_count DESC LIMIT 20",
    ),
    Example(
        "Which codes do creators give for several brands?",
        "SELECT upper(code) AS code, count(DISTINCT sponsor_id) AS brands, count(*) AS videos\n"
        "FROM sponsorships WHERE code IS NOT NULL\n"
        "GROUP BY 1 HAVING count(DISTINCT sponsor_id) > 2 ORDER BY brands DESC, videos DESC LIMIT 20",
    ),
    Example(
        "Do videos of a brand have more views than its creators' other videos of the same format and year?",
        "SELECT v.format, date_trunc('year', v.published_on) AS year, count(s.video_id) AS videos_with_brand,\n"
        "  percentile_cont(0.5) WITHIN GROUP (ORDER BY v.views) FILTER (WHERE s.video_id IS NOT NULL) AS with_brand,\n"
        "  percentile_cont(0.5) WITHIN GROUP (ORDER BY v.views) FILTER (WHERE s.video_id IS NULL) AS without\n"
        "FROM videos v\n"
        "LEFT JOIN sponsorships s ON s.video_id = v.id AND s.sponsor_id = (SELECT id FROM sponsors WHERE slug = 'nordvpn')\n"
        "WHERE v.views IS NOT NULL AND v.youtuber_id IN (\n"
        "  SELECT r.youtuber_id FROM relations r JOIN sponsors b ON b.id = r.sponsor_id WHERE b.slug = 'nordvpn')\n"
        "GROUP BY 1, 2 HAVING count(s.video_id) > 0 ORDER BY 2 DESC, 1 LIMIT 20",
    ),
    Example(
        "Which categories of brands are paid for most in each content category?",
        "WITH counted AS (\n"
        "  SELECT content_category, sponsor_category, count(*) AS paid_videos,\n"
        "    rank() OVER (PARTITION BY content_category ORDER BY count(*) DESC) AS place\n"
        "  FROM sponsorships WHERE kind <> 'free_product' AND content_category IS NOT NULL AND sponsor_category IS NOT NULL\n"
        "  GROUP BY 1, 2)\n"
        "SELECT content_category, sponsor_category, paid_videos FROM counted WHERE place <= 3 ORDER BY 1, place",
    ),
)

TABLE_NAMES: Final = frozenset(table.name for table in TABLES)
COLUMN_NAMES: Final = frozenset(column.name for table in TABLES for column in table.columns)
