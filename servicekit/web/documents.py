"""Documents of HTML: the skeleton of all, and the frame that the pages of every service have."""

from dataclasses import dataclass
from importlib.resources import files
from string import Template
from typing import Final

ICON: Final = files("servicekit.web").joinpath("static", "icon.svg")
"""The icon of the service."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageParts:
    """The parts of a page that its service fills, as HTML or as text of its template language.

    Attributes:
        title: Title of the document.
        head: Further elements of its head: the style, what robots may do.
        icon: Address of the icon.
        home: Address that the wordmark leads to.
        navigation: Beside the wordmark.
        subnavigation: Below both.
        main_class: Further classes of the main element.
        content: Content of the main element.
        version: Version of Sponsorgraph.
        legal: Links in the footer.
        end: After the footer.
    """

    title: str
    head: str
    icon: str
    home: str
    navigation: str
    subnavigation: str = ""
    main_class: str = ""
    content: str
    version: str
    legal: str = ""
    end: str = ""


def document(*, title: str, head: str, body: str) -> str:
    """Return a document in English for light and dark screens of every width."""
    return _template("document.html").substitute(title=title, head=head, body=body)


def page(parts: PageParts) -> str:
    """Return the document of a page: its parts in the frame of the site."""
    head = _template("head.html").substitute(icon=parts.icon, head=parts.head)
    body = _template("frame.html").substitute(
        icon=parts.icon,
        home=parts.home,
        navigation=parts.navigation,
        subnavigation=parts.subnavigation,
        main_class=parts.main_class,
        content=parts.content,
        version=parts.version,
        legal=parts.legal,
        end=parts.end,
    )
    return document(title=parts.title, head=head.rstrip(), body=body.rstrip())


def _template(name: str) -> Template:
    return Template(files("servicekit.web").joinpath(name).read_text(encoding="utf-8"))
