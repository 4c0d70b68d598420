"""What the links of alerts lead to without a login: confirming an address, unsubscribing it, a feed."""

from collections.abc import Sequence
from datetime import UTC, datetime
from xml.etree import ElementTree as ET

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from auth_service.domain.alerts.messages import headline, link_of, sentence
from auth_service.domain.alerts.model import Channel, Delivery
from auth_service.web.page_request import PageRequest, get, http_status, post
from auth_service.web.pages import HEADERS
from auth_service.web.site import Site
from servicekit import timestamps
from servicekit.errors import ServiceError

_ATOM = "http://www.w3.org/2005/Atom"
_PARAMETERS = "{channel_id}/{token}"


def routes(site: Site) -> list[Route]:
    """Return the routes. Unsubscribing takes a POST of a mail program, which has no form of this site (RFC 8058)."""

    async def unsubscribe(request: Request) -> Response:
        try:
            await site.alerts.channels.unsubscribe(**request.path_params)
        except ServiceError as error:
            return _message(
                site, "This link does not work", error.public_message, http_status(error)
            )
        return _message(
            site,
            "You are unsubscribed",
            "This address gets no further mails of alerts. The watches stay: the page Alerts of the account turns the mails "
            "on again.",
            200,
        )

    async def feed(request: Request) -> Response:
        channel_id, secret = request.path_params["channel_id"], request.path_params["token"]
        try:
            channel, deliveries = await site.alerts.channels.feed(channel_id, secret)
        except ServiceError as error:
            return _message(
                site, "This link does not work", error.public_message, http_status(error)
            )
        headers = {**HEADERS, "Cache-Control": "private, max-age=300"}
        body = atom(channel, deliveries, site.site_url)
        return Response(body, 200, headers, "application/atom+xml")

    return [
        get(site, f"/alerts/confirm/{_PARAMETERS}", _confirmation_form),
        post(site, f"/alerts/confirm/{_PARAMETERS}", _confirm),
        get(site, f"/alerts/unsubscribe/{_PARAMETERS}", _unsubscribe_form),
        Route(f"/alerts/unsubscribe/{_PARAMETERS}", unsubscribe, methods=["POST"]),
        Route(f"/alerts/feeds/{_PARAMETERS}", feed, methods=["GET"]),
    ]


def _message(site: Site, heading: str, text: str, status: int) -> Response:
    """Render a page for whoever follows a link without a session."""
    values = {
        "csrf": "",
        "account": None,
        "notice": None,
        "error": None,
        "page": "",
        "heading": heading,
        "text": text,
        "link": None,
    }
    return site.pages.render("message.html", values, status)


async def _confirmation_form(page: PageRequest) -> Response:
    channel = await page.site.alerts.channels.pending(**page.request.path_params)
    return page.render(
        "alert_link.html",
        heading="Do you want these alerts?",
        text=f"Alerts about sponsorships on YouTube would be sent to {channel.target}.",
        button="Yes, send them",
    )


async def _confirm(page: PageRequest) -> Response:
    channel = await page.site.alerts.channels.confirm(**page.request.path_params)
    return page.render_message("Confirmed", f"Alerts are sent to {channel.target} from now on.")


async def _unsubscribe_form(page: PageRequest) -> Response:
    page.site.alerts.channels.check_unsubscribe(**page.request.path_params)
    return page.render(
        "alert_link.html",
        heading="Unsubscribe from alerts?",
        text="This address gets no further mails of alerts then. The watches stay: the page Alerts of the account turns the "
        "mails on again.",
        button="Unsubscribe",
    )


def atom(channel: Channel, deliveries: Sequence[Delivery], site_url: str) -> bytes:
    """Return a feed of alerts (RFC 4287). Ids of entries are those of the deliveries, which stay."""
    feed = ET.Element("feed", xmlns=_ATOM)
    updated = deliveries[0].created_at if deliveries else channel.created_at
    _add(feed, "id", f"urn:sponsorgraph:{channel.channel_id}")
    _add(feed, "title", f"Sponsorgraph: {channel.name}")
    _add(feed, "updated", _instant(updated))
    _add(_add(feed, "author", ""), "name", "Sponsorgraph")
    ET.SubElement(feed, "link", href=f"{site_url}/account/alerts")
    for delivery in deliveries:
        entry = ET.SubElement(feed, "entry")
        _add(entry, "id", f"urn:sponsorgraph:{delivery.delivery_id}")
        _add(entry, "title", _printable(headline(delivery)))
        ET.SubElement(
            entry, "link", href=_printable(link_of(delivery)) or f"{site_url}/account/alerts"
        )
        _add(entry, "updated", _instant(delivery.created_at))
        _add(entry, "published", _instant(delivery.event_at))
        ET.SubElement(entry, "category", term=delivery.kind)
        _add(entry, "content", _printable(sentence(delivery)))
    return ET.tostring(feed, encoding="utf-8", xml_declaration=True)


def _add(parent: ET.Element, name: str, value: str) -> ET.Element:
    element = ET.SubElement(parent, name)
    element.text = value
    return element


def _printable(value: str) -> str:
    """Return a text without the control characters that XML cannot hold."""
    return "".join(char if char.isprintable() else " " for char in value)


def _instant(at: datetime) -> str:
    return timestamps.to_text(at.astimezone(UTC))
