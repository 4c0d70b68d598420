"""The style sheet of a service's pages: the design that all share, then the service's own rules."""

import re
from importlib.resources import files
from typing import Final

_COMMENT: Final = re.compile(r"/\*[\s\S]*?(?:\*/|\Z)")
_SPACE: Final = re.compile(r"\s+")


def style_sheet(own: str) -> str:
    """Return the shared rules and then `own` in one sheet, without comments and line breaks."""
    shared = files("servicekit.web").joinpath("base.css").read_text(encoding="utf-8")
    return smaller(f"{shared}{own}")


def smaller(style: str) -> str:
    """Return a style sheet without comments and line breaks."""
    return _SPACE.sub(" ", _COMMENT.sub(" ", style)).strip()
