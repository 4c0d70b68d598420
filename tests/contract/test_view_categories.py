"""The views name categories as the vocabulary does."""

import re
from importlib import resources
from typing import Final

from catalog_service.domain.categories import VOCABULARY

SCRIPT: Final = resources.files("servicekit.web").joinpath("views/dom.js").read_text("utf-8")
ENTRY: Final = re.compile(r'^  "?([a-z-]+)"?: "([^"]+)",$', re.MULTILINE)


def test_each_category_whose_name_is_more_than_its_id_has_its_name_in_the_views() -> None:
    table = SCRIPT.partition("const CATEGORIES = {")[2].partition("};")[0]
    expected = {
        entry.id: entry.name
        for entries in VOCABULARY.values()
        for entry in entries
        if entry.name != entry.id.replace("-", " ").capitalize()
    }
    assert dict(ENTRY.findall(table)) == expected
