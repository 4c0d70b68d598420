"""The text of an answer, for clients that give their model text: JSON, Markdown or TOON.

The structured content beside it is JSON whatever the text is. TOON: https://github.com/toon-format/spec
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final, Literal

import msgspec
from toon_format import dumps

from gateway.mcp.texts.markdown import markdown

TextFormat = Literal["json", "markdown", "toon"]

_WRITERS: Final[Mapping[TextFormat, Callable[[Any], str]]] = {"markdown": markdown, "toon": dumps}


@lru_cache(maxsize=64)
def text_of(content: bytes, text_format: TextFormat) -> str:
    """Return an answer, which comes as JSON, as text of a format."""
    if text_format == "json":
        return content.decode()
    return _WRITERS[text_format](msgspec.json.decode(content))
