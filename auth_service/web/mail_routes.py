"""The mail of a sign-up, where mails are files on the machine of the person who signs up."""

from typing import Final
from urllib.parse import urlsplit

from starlette.responses import Response
from starlette.routing import Route

from auth_service.web.page_request import PageRequest, get, with_next_path
from auth_service.web.site import Site
from servicekit.errors import NotFound
from servicekit.process.addresses import is_loopback

PATH: Final = "/signup/mail"


def routes(site: Site) -> list[Route]:
    """Return the route of the mail; it shows none where mails are sent, or the site is for others."""
    return [get(site, PATH, _show_mail)]


def is_shown_to(page: PageRequest) -> bool:
    """Return whether the visitor sits at this machine and sees its mails.

    The host is compared, too: another site's name can be made to lead to this machine.
    """
    host = page.request.headers.get("host", "").lower()
    client = page.request.client.host if page.request.client else ""
    return (
        page.site.local_mails is not None
        and host == urlsplit(page.site.site_url).netloc.lower()
        and is_loopback(client)
    )


async def _show_mail(page: PageRequest) -> Response:
    local_mails = page.site.local_mails
    if local_mails is None or not is_shown_to(page):
        raise NotFound("There is no such page.")
    mail = await local_mails.of_sign_up(page.origin)
    if mail is None:
        return page.render(
            "message.html",
            404,
            heading="There is no mail yet",
            text="No mail was written for a sign-up in this browser. Is there an account already? Then "
            f"log in. Mails are files in {page.site.mail_folder}.",
            link=(with_next_path("/login", page.next_path), "Log in"),
        )
    link = next(line for line in mail.text.splitlines() if line.startswith(page.site.site_url))
    before, _, after = mail.text.partition(link)
    return page.render(
        "mail.html", mail=mail, before=before.strip(), link=link, after=after.strip()
    )
