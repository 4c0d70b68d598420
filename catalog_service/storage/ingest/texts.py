"""The words of videos' titles and descriptions, as they come in. Texts of descriptions are not stored."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import msgspec
from sqlalchemy import TextClause, text
from sqlalchemy.ext.asyncio import AsyncConnection

from catalog_service.domain.facts import VideoState
from catalog_service.domain.topics.languages import configuration_of
from catalog_service.domain.topics.words import words_of
from shapes.catalog.ingest import VideoFact

_SAVE: Final[TextClause] = text("""
WITH fact AS (
  SELECT v.id, fact.title, fact.description, held.words, coalesce(held.has_description, false) AS was_described,
    -- Words of a description that is not in the fact stay as they are, and so does their configuration.
    CASE WHEN fact.description IS NULL AND held.has_description THEN held.config ELSE fact.config END AS config
  FROM json_to_recordset(CAST(:texts AS json)) AS fact(key text, title text, description text, config text)
  JOIN videos AS v ON v.key = fact.key
  LEFT JOIN video_texts AS held ON held.video_id = v.id
), indexed AS (
  SELECT fact.*, setweight(to_tsvector(CAST(config AS regconfig), coalesce(title, '')), 'A') AS title_words
  FROM fact
)
INSERT INTO video_texts AS held (video_id, config, words, has_description)
SELECT id, config,
  CASE
    WHEN description IS NOT NULL
      THEN title_words || setweight(to_tsvector(CAST(config AS regconfig), description), 'B')
    -- Put together anew for another title alone: each time moves the positions of the description on.
    WHEN NOT was_described THEN title_words
    WHEN ts_filter(words, '{a}') = title_words THEN words
    ELSE title_words || ts_filter(words, '{b}')
  END,
  description IS NOT NULL OR was_described
FROM indexed
ON CONFLICT (video_id) DO UPDATE
SET config = excluded.config, words = excluded.words, has_description = excluded.has_description
WHERE (held.config, held.words, held.has_description)
  IS DISTINCT FROM (excluded.config, excluded.words, excluded.has_description)
""")


def left_out(states: Sequence[VideoState]) -> Sequence[VideoState]:
    """Return the states without the texts of descriptions, which are not stored."""
    return [
        state if state.fact.description_text is None else _without_text(state) for state in states
    ]


def _without_text(state: VideoState) -> VideoState:
    return replace(state, fact=replace(state.fact, description_text=None))


async def save(connection: AsyncConnection, states: Sequence[VideoState]) -> None:
    """Index the words of stored videos; those without title and description stay as they are."""
    facts = [state.fact for state in states]
    rows = [_row(fact) for fact in facts if fact.title or fact.description_text is not None]
    if rows:
        await connection.execute(_SAVE, {"texts": msgspec.json.encode(rows).decode()})


def _row(fact: VideoFact) -> dict[str, Any]:
    return {
        "key": fact.key,
        "title": _words(fact.title),
        "description": _words(fact.description_text),
        "config": configuration_of(fact.language),
    }


def _words(value: str | None) -> str | None:
    return None if value is None else " ".join(words_of(value))
