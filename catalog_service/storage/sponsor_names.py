"""Every spelling under which a sponsor is found: its name, aliases, domains and their first labels."""

from typing import Any, Final

from sqlalchemy import (
    ARRAY,
    Executable,
    Text,
    bindparam,
    delete,
    false,
    func,
    insert,
    literal,
    select,
    true,
    union_all,
)

from catalog_service.storage.columns import AnySelect
from catalog_service.storage.tables import sponsor_names, sponsors

_renamed: Final = sponsors.c.slug == func.any(bindparam("keys", type_=ARRAY(Text)))


def _each(array: Any) -> Any:
    return func.unnest(array).table_valued("spelling").render_derived().lateral()


def _spellings() -> AnySelect:
    alias, domain = _each(sponsors.c.aliases), _each(sponsors.c.domains)
    names = select(sponsors.c.id, sponsors.c.name.label("spelling"), false().label("is_label"))
    aliases = select(sponsors.c.id, alias.c.spelling, false()).join(alias, true())
    domains = select(sponsors.c.id, domain.c.spelling, false()).join(domain, true())
    labels = select(sponsors.c.id, func.split_part(domain.c.spelling, ".", 1), true()).join(
        domain, true()
    )
    parts = (part.where(_renamed) for part in (names, aliases, domains, labels))
    told = union_all(*parts).subquery("told")
    key = func.normalised(told.c.spelling)
    return (
        select(key, told.c.id, func.bool_and(told.c.is_label))
        .where(key != literal("", Text))
        .group_by(key, told.c.id)
    )


RENAME: Final[tuple[Executable, ...]] = (
    delete(sponsor_names).where(sponsor_names.c.sponsor_id == sponsors.c.id, _renamed),
    insert(sponsor_names).from_select(["name_key", "sponsor_id", "is_label"], _spellings()),
)
"""Statements that bring the spellings of the sponsors with the slugs `keys` up to date."""
