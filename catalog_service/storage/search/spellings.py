"""Every normalised spelling under which a sponsor or a youtuber is found."""

import json
from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import (
    ARRAY,
    JSON,
    Executable,
    Text,
    bindparam,
    cast,
    column,
    delete,
    false,
    func,
    insert,
    literal,
    select,
    true,
    union,
    union_all,
)

from catalog_service.domain import foreign_names
from catalog_service.domain.joining import NAME_ONLY
from catalog_service.domain.transliteration import latin
from catalog_service.storage.columns import AnySelect
from catalog_service.storage.tables import (
    sponsor_names,
    sponsors,
    youtuber_aliases,
    youtuber_names,
    youtubers,
)
from shapes.catalog.ingest import SponsorFact, YoutuberFact

_a = youtuber_aliases.c
_keys: Final = func.any(bindparam("keys", type_=ARRAY(Text)))
_sponsors: Final = sponsors.c.slug == _keys
_youtubers: Final = youtubers.c.key == _keys
_latin: Final = (
    func.json_to_recordset(cast(bindparam("latin", type_=Text), JSON))
    .table_valued(column("key", Text), column("spelling", Text))
    .render_derived("latin", with_types=True)
)


def sponsor_parameters(facts: Sequence[SponsorFact]) -> dict[str, Any]:
    """Return the parameters of `RENAME_SPONSORS`."""
    named = [(fact.slug, (fact.name, *fact.aliases)) for fact in facts]
    also = [(fact.slug, name) for fact in facts for name in foreign_names.names_of(fact.slug)]
    return parameters(named, also)


def youtuber_parameters(facts: Sequence[YoutuberFact]) -> dict[str, Any]:
    """Return the parameters of `RENAME_YOUTUBERS`."""
    return parameters([(fact.key, (fact.name,)) for fact in facts])


def parameters(
    named: Sequence[tuple[str, Sequence[str]]], also: Sequence[tuple[str, str]] = ()
) -> dict[str, Any]:
    """Return the parameters of both, of keys with all names that may need Latin letters.

    `also` has further names of the keys, which are found as they are written.
    """
    spoken = [{"key": key, "spelling": spelling} for key, spelling in also]
    spoken += [
        {"key": key, "spelling": spelling}
        for key, names in named
        for name in names
        if (spelling := latin(name))
    ]
    return {"keys": [key for key, _ in named], "latin": json.dumps(spoken)}


def _each(array: Any) -> Any:
    return func.unnest(array).table_valued("spelling").render_derived().lateral()


def _of_sponsors() -> AnySelect:
    """Select name and aliases, also in Latin letters, domains, and what ranks lower.

    Those are the first labels of domains.
    """
    alias, domain = _each(sponsors.c.aliases), _each(sponsors.c.domains)
    names = select(
        sponsors.c.id,
        sponsors.c.name.label("spelling"),
        false().label("is_label"),
        false().label("is_domain"),
    )
    aliases = select(sponsors.c.id, alias.c.spelling, false(), false()).join(alias, true())
    domains = select(sponsors.c.id, domain.c.spelling, false(), true()).join(domain, true())
    label = func.split_part(domain.c.spelling, ".", 1)
    labels = select(sponsors.c.id, label, true(), false()).join(domain, true())
    spoken = select(sponsors.c.id, _latin.c.spelling, false(), false()).join(
        _latin, _latin.c.key == sponsors.c.slug
    )
    parts = (part.where(_sponsors) for part in (names, aliases, domains, labels, spoken))
    spellings = union_all(*parts).subquery("spellings")
    key = func.normalised(spellings.c.spelling)
    return (
        select(
            key,
            spellings.c.id,
            func.bool_and(spellings.c.is_label),
            func.bool_and(spellings.c.is_domain),
        )
        .where(key != literal("", Text))
        .group_by(key, spellings.c.id)
    )


def _of_youtubers() -> AnySelect:
    """Select name, also in Latin letters, handle, and the names under which it was known before its id was."""
    names = select(youtubers.c.id, youtubers.c.name_key.label("key")).where(_youtubers)
    handles = select(youtubers.c.id, func.normalised(youtubers.c.handle)).where(_youtubers)
    former = (
        select(youtubers.c.id, func.normalised(func.substr(_a.key, len(NAME_ONLY) + 1)))
        .join(youtuber_aliases, _a.youtuber_id == youtubers.c.id)
        .where(_youtubers, _a.key.startswith(NAME_ONLY))
    )
    spoken = (
        select(youtubers.c.id, func.normalised(_latin.c.spelling))
        .join(_latin, _latin.c.key == youtubers.c.key)
        .where(_youtubers)
    )
    spellings = union(names, handles, former, spoken).subquery("spelled")
    return select(spellings.c.key, spellings.c.id).where(spellings.c.key != literal("", Text))


RENAME_SPONSORS: Final[tuple[Executable, ...]] = (
    delete(sponsor_names).where(sponsor_names.c.sponsor_id == sponsors.c.id, _sponsors),
    insert(sponsor_names).from_select(
        ["name_key", "sponsor_id", "is_label", "is_domain"], _of_sponsors()
    ),
)
"""Statements that update the spellings of sponsors, with `sponsor_parameters`."""

RENAME_YOUTUBERS: Final[tuple[Executable, ...]] = (
    delete(youtuber_names).where(youtuber_names.c.youtuber_id == youtubers.c.id, _youtubers),
    insert(youtuber_names).from_select(["name_key", "youtuber_id"], _of_youtubers()),
)
"""Statements that update the spellings of youtubers, with `youtuber_parameters`."""
