"""The style sheet of a service's pages: the design that all share, then the service's own rules."""

import re
from importlib.resources import files
from typing import Final

_COMMENT: Final = re.compile(r"/\*[\s\S]*?(?:\*/|\Z)")
_SPACE: Final = re.compile(r"\s+")
_NEEDLESS: Final = re.compile(r" ?([{};,]) ?|(:) ")
"""Blanks beside marks that end what stands before them. Before a colon one may be of a selector."""


def style_sheet(own: str) -> str:
    """Return the shared rules and then `own` in one sheet, without comments and line breaks."""
    shared = files("servicekit.web").joinpath("base.css").read_text(encoding="utf-8")
    return smaller(f"{shared}{own}")


def smaller(style: str) -> str:
    """Return a style sheet without comments, line breaks and blanks that mean nothing."""
    return _NEEDLESS.sub(r"\1\2", _SPACE.sub(" ", _COMMENT.sub(" ", style))).strip()
