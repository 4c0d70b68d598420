"""Callers' SQL is accepted or refused by its syntax, before a database sees it."""

import postgast
import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog_service.domain.sql import allowed, dataset
from catalog_service.domain.sql.errors import SqlRefused
from catalog_service.domain.sql.functions import SIGNATURES, Signature
from catalog_service.storage.sql import statements
from tests.fakes import hostile_sql, sql_queries

HOSTILE = tuple(hostile_sql.statements())
ACCEPTED = (
    "SELECT 1",
    "SELECT 1;",
    "TABLE sponsors",
    "VALUES (1, 'a'), (2, 'b')",
    "SELECT * FROM dataset.sponsors",
    "SELECT s.* FROM sponsors AS s",
    "SELECT 'pg_sleep(10); DROP TABLE sponsors' AS text",
    "SELECT 1 -- DROP TABLE sponsors",
    "SELECT /* DELETE */ name FROM sponsors",
    "WITH best AS MATERIALIZED (SELECT * FROM sponsors) SELECT * FROM best b JOIN videos v ON v.id = b.id",
    "SELECT count(*) AS videos FROM videos ORDER BY videos",
    "SELECT category AS sponsors, count(*) FROM sponsors GROUP BY sponsors",
    "SELECT n FROM generate_series(1, 3) n",
    "SELECT day::date FROM generate_series(date '2026-01-01', current_date, interval '1 day') AS day",
    "SELECT domain FROM sponsors, unnest(domains) AS domain",
    "SELECT extract(year FROM published_on), trim(both ' ' FROM title), substring(title FROM 2 FOR 3) FROM videos",
    "SELECT position('a' IN title), title LIKE 'a!%' ESCAPE '!', title SIMILAR TO 'a|b', title ~* 'vpn' FROM videos",
    "SELECT now() AT TIME ZONE 'Europe/Paris', current_timestamp, (now(), now()) OVERLAPS (now(), now())",
    "SELECT nullif(1, 2), coalesce(1, 2), greatest(1, 2), CASE 1 WHEN 1 THEN 2 ELSE 3 END",
    "SELECT 1 BETWEEN 0 AND 2, 1 NOT BETWEEN SYMMETRIC 2 AND 0, 1 IN (1, 2)",
    "SELECT 5 = ANY(ARRAY[5, 6]), 5 <> ALL(SELECT id FROM sponsors), true IS NOT TRUE, 1 IS DISTINCT FROM 2",
    "SELECT domains[1], domains[1:2], domains && ARRAY['a'], domains @> ARRAY['a'] FROM sponsors",
    "SELECT category, country, count(*), grouping(category) FROM sponsors GROUP BY CUBE (category, country)",
    "SELECT sum(views) OVER w FROM videos WINDOW w AS (PARTITION BY youtuber_id ORDER BY published_on ROWS 3 PRECEDING)",
    "SELECT DISTINCT ON (category) category, name FROM sponsors ORDER BY category, video_count DESC NULLS LAST",
    "SELECT 1 UNION ALL SELECT 2 EXCEPT SELECT 3 ORDER BY 1 LIMIT 5 OFFSET 1",
    "SELECT * FROM sponsors ORDER BY name FETCH FIRST 3 ROWS ONLY",
    "SELECT * FROM sponsors LEFT JOIN LATERAL (SELECT * FROM relations r WHERE r.sponsor_id = sponsors.id LIMIT 3) best ON true",
    "SELECT name || ' (' || category || ')' FROM sponsors",
    *sql_queries.STATEMENTS,
    "SELECT U&'\\0041' AS a, E'\\n' AS b, $$c$$ AS c, 'д' AS \"д\"",
)


@pytest.mark.parametrize("sql", HOSTILE)
def test_a_hostile_statement_is_refused_in_a_sentence(sql: str) -> None:
    with pytest.raises(SqlRefused) as caught:
        statements.check(sql)
    message = caught.value.public_message
    assert message
    assert len(message) < 500
    assert caught.value.details["field"] == "sql"


def test_the_hostile_statements_are_many_and_different() -> None:
    assert len(set(HOSTILE)) == len(HOSTILE) >= 300


@pytest.mark.parametrize("sql", [*ACCEPTED, *(example.sql for example in dataset.EXAMPLES)])
def test_a_select_over_the_dataset_is_accepted(sql: str) -> None:
    statements.check(sql)


_EXAMPLES_OF_KINDS = {
    "any": "views",
    "any…": "views, title",
    "array": "ARRAY['a', 'b']",
    "bool": "true",
    "date": "published_on",
    "flags": "'i'",
    "fraction": "0.5",
    "int": "2",
    "interval": "interval '1 day'",
    "literal": "'a'",
    "number": "views",
    "regex": "'a+'",
    "small": "3",
    "text": "title",
}


@pytest.mark.parametrize("signature", SIGNATURES, ids=str)
def test_an_allowed_function_is_accepted_with_and_without_its_schema(signature: Signature) -> None:
    arguments = ", ".join(_EXAMPLES_OF_KINDS[kind] for kind in signature.arguments)
    if signature.name == "generate_series":
        arguments = {
            "int": arguments,
            "date": "date '2026-01-01', current_date, interval '1 day'",
        }[signature.arguments[0]]
    clause = {
        "ordered set": " WITHIN GROUP (ORDER BY views)",
        "window": " OVER (ORDER BY views)",
    }.get(signature.role, "")
    rows = "(SELECT * FROM videos LIMIT 9) AS v" if signature.role == "list" else "videos"
    if signature.name not in {"extract", "position", "substring", "overlaps"}:
        statements.check(f"SELECT {signature.name}({arguments}){clause} FROM {rows}")
    statements.check(f'SELECT pg_catalog."{signature.name}"({arguments}){clause} FROM {rows}')


@pytest.mark.parametrize("signature", SIGNATURES, ids=str)
def test_an_allowed_function_is_refused_with_an_argument_more(signature: Signature) -> None:
    arguments = [_EXAMPLES_OF_KINDS[kind] for kind in signature.arguments]
    more = ", ".join([*arguments, "true", "true", "true"])
    if signature.arguments[-1:] == ("any…",):
        more = ""
    with pytest.raises(SqlRefused, match=r"does not take|cannot be"):
        statements.check(f'SELECT pg_catalog."{signature.name}"({more}) FROM videos')


def test_an_error_names_its_line_and_column() -> None:
    with pytest.raises(SqlRefused) as caught:
        statements.check("SELECT name,\n  'é', pg_sleep(1)\nFROM sponsors")
    assert caught.value.details == {"field": "sql", "line": "2", "column": "8"}
    assert "pg_sleep cannot be used here" in caught.value.public_message
    assert ". Line 2, column 8, near" in caught.value.public_message


@pytest.mark.parametrize(
    ("sql", "advice"),
    [
        ("SELECT * FROM sponsor", "Did you mean sponsors?"),
        ("SELECT * FROM brands", "Did you mean sponsors?"),
        ("SELECT * FROM creators", "Did you mean youtubers?"),
        ("SELECT * FROM channels", "Did you mean youtubers?"),
        (
            "SELECT * FROM information_schema.tables",
            "information_schema.tables. There are sponsors",
        ),
        (
            "SELECT y.youtuber_id FROM youtubers y JOIN videos v ON v.youtuber_id = y.id",
            "Did you mean id? It has id,",
        ),
        ("SELECT v.video_id FROM videos v", "Did you mean id? It has id, youtube_id"),
        (
            "SELECT sponsor_name FROM sponsorships",
            "Did you mean name of sponsors? Join it by sponsor_id = sponsors.id.",
        ),
        ("SELECT w.nam FROM (SELECT name FROM sponsors) AS w", "Did you mean name? It has name."),
        ("SELECT exp(1)", "select the logarithm"),
        ("SELECT group_concat(name) FROM sponsors", "use string_agg"),
        ("SELECT * FROM creators", "There are sponsors, youtubers, videos"),
        ("SELECT string_agg(name, ',') FROM sponsors", "a subquery with a LIMIT"),
        (
            "SELECT string_agg(n, ',') FROM (SELECT name AS n FROM sponsors LIMIT 900) t",
            "joins inside and LIMIT 506",
        ),
        ("SELECT s FROM sponsors s", "write s.column"),
        ("DELETE FROM sponsors", "Only SELECT is accepted"),
        ("SELECT `name` FROM sponsors", "Write names without backticks"),
        ("SELECT name FROM `sponsors` LIMIT 3", "Write names without backticks"),
        ("SELECT TOP 5 name FROM sponsors", "Write LIMIT 5 at the end"),
        ("select distinct top 10 name from sponsors", "Write LIMIT 10 at the end"),
        ("SELECT TOP (5) name FROM sponsors", "write LIMIT at the end"),
        ("SHOW TABLES", "The tool catalog.schema lists the tables"),
        ("show full columns from sponsors;", "The tool catalog.schema lists the tables"),
        ("DESCRIBE sponsors", "The tool catalog.schema lists the tables"),
        ("desc sponsors", "The tool catalog.schema lists the tables"),
        ("PRAGMA table_info(sponsors)", "The tool catalog.schema lists the tables"),
        (r"\d sponsors", "The tool catalog.schema lists the tables"),
        (r"\dt", "The tool catalog.schema lists the tables"),
        ("SHOW INDEX FROM sponsors", "The tool catalog.schema lists the tables"),
        ("USE sponsorgraph", "leave USE out"),
        ("EXPLAIN SELECT 1", "Give the SELECT with `dry_run`"),
        ("SELECT TOP 5 PERCENT name FROM sponsors", "keep those up to 0.05"),
        ("SELECT name FROM sponsors LIMIT 5, 10", "Write LIMIT 10 OFFSET 5 instead"),
        ("SELECT [name] FROM sponsors", "Write names without brackets"),
        ("SELECT s.[name] FROM [sponsors] s", "Write names without brackets"),
        ("SELECT NVL(country, '') FROM sponsors", "use coalesce"),
        ("SELECT ISNULL(country, '') FROM sponsors", "use coalesce"),
        ("SELECT GETDATE()", "use current_date"),
        ("SELECT DATE_FORMAT(published_on, '%Y') FROM videos", "use to_char"),
        ("SELECT", "This SELECT has no columns"),
        ("SELECT FROM sponsors", "This SELECT has no columns"),
    ],
)
def test_a_refusal_says_what_to_write_instead(sql: str, advice: str) -> None:
    with pytest.raises(SqlRefused, match=advice.replace("?", r"\?")):
        statements.check(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT '`' FRO sponsors",
        "SHOW server_version",
        "SELECT 'SHOW TABLES' FRO sponsors",
        "SELECT name DESC sponsors FROM",
        "SELECT domains[1 FROM sponsors",
        "SELECT 1 FRO sponsors LIMIT '5, 10'",
    ],
)
def test_another_mistake_has_no_advice_of_another_database(sql: str) -> None:
    with pytest.raises(SqlRefused) as caught:
        statements.check(sql)
    message = caught.value.public_message
    assert "catalog.schema" not in message
    assert "backticks" not in message
    assert "brackets" not in message
    assert "OFFSET" not in message


@pytest.mark.parametrize("name", ["accounts", "reports", "corrections", "categories", "users"])
def test_a_table_is_suggested_for_a_close_spelling_alone(name: str) -> None:
    with pytest.raises(SqlRefused, match="There are sponsors") as caught:
        statements.check(f"SELECT * FROM {name}")
    assert "Did you mean" not in caught.value.public_message


_WORDS = st.sampled_from(
    [
        *"( ) , ; * . = + - || :: [ ] $1 $$ ' \" -- /* */".split(),
        *"SELECT FROM WHERE WITH AS JOIN ON GROUP BY ORDER LIMIT UNION INTO FOR UPDATE VALUES ROW ARRAY CASE END NOT".split(),
        *"DELETE INSERT RETURNING COPY SET RECURSIVE LATERAL OVER FILTER IN EXISTS ANY NULL true 1 'a' now() count(*)".split(),
        *"sponsors videos relations pg_class name id views pg_sleep(1) regclass current_user x".split(),
    ]
)


@given(st.lists(_WORDS, max_size=40).map(" ".join) | st.text(max_size=200))
def test_any_text_is_accepted_or_refused_and_never_fails_otherwise(sql: str) -> None:
    try:
        statements.check(sql)
    except SqlRefused:
        return
    # By another reading of the same tree than the checks'.
    tree = postgast.parse(sql)
    called = {name.rpartition(".")[2] for name in postgast.extract_functions(tree)}
    assert called <= allowed.FUNCTIONS
    read = {name.rpartition(".")[2] for name in postgast.extract_tables(tree)}
    assert not {name for name in read if name.startswith("pg_")}


def test_nested_arrays_are_read_once() -> None:
    nested = "true"
    for _ in range(20):
        nested = f"true = ANY(ARRAY[{nested}])"
    statements.check(f"SELECT {nested} FROM sponsors")


def test_tables_of_an_array_count_once() -> None:
    largest = ", ".join(["(SELECT max(category) FROM sponsors)"] * 8)
    statements.check(f"SELECT name FROM sponsors WHERE category = ANY(ARRAY[{largest}])")


GROUP_NOTE = (
    "sponsor_category is the most specific category of a brand, and 'tech' is a group of categories: "
    "sponsor_group of the same table has the groups.",
)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FROM sponsorships WHERE sponsor_category = 'tech'",
        "SELECT count(*) FROM months m WHERE 'tech' <> m.sponsor_category",
        "SELECT count(*) FROM months WHERE sponsor_category IN ('security', 'tech') OR sponsor_category = 'tech'",
        "SELECT count(*) FROM months WHERE (video_count, sponsor_category) IN ((1, 'ai'), (2, 'tech'))",
        "WITH own AS (SELECT sponsor_category AS kind FROM months) SELECT count(*) FROM own WHERE kind = 'tech'",
    ],
)
def test_a_category_that_is_compared_with_a_group_gets_one_note(sql: str) -> None:
    assert statements.check(sql).notes == GROUP_NOTE


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FROM sponsorships WHERE sponsor_category = 'security'",
        "SELECT count(*) FROM sponsorships WHERE sponsor_category = 'betting'",
        "SELECT count(*) FROM sponsorships WHERE sponsor_group = 'tech'",
        "SELECT count(*) FROM sponsors WHERE category_group = 'tech' AND name = 'tech'",
        "SELECT count(*) FROM videos WHERE category = 'gaming'",
        "SELECT count(*) FROM sponsorships WHERE content_category = 'gaming'",
        "SELECT count(*) FROM sponsorships WHERE sponsor_category IN ('gaming', 'games', 'gaming-gear')",
        "SELECT count(*) FROM sponsorships WHERE sponsor_category > 'tech'",
        "SELECT count(*) FROM sponsorships WHERE ROW() IN ('tech')",
        "SELECT count(*) FROM sponsorships WHERE ROW() = 'tech'",
    ],
)
def test_a_category_a_group_and_content_of_the_same_name_get_no_note(sql: str) -> None:
    assert statements.check(sql).notes == ()


def test_the_column_of_groups_of_brands_is_named_as_the_table_has_it() -> None:
    (note,) = statements.check("SELECT count(*) FROM sponsors WHERE category = 'gaming'").notes
    assert note.endswith("category_group of the same table has the groups.")
