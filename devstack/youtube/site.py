"""The public site: feeds, and as much of the pages as tells whose they are."""

import html
import json
import re
from typing import Final
from xml.etree.ElementTree import Element, SubElement, register_namespace, tostring

from devstack.youtube.catalogue import MadeChannel, MadeVideo
from devstack.youtube.payloads import instant

FEED_LENGTH: Final = 15
_ATOM: Final = "{http://www.w3.org/2005/Atom}"
_MEDIA: Final = "{http://search.yahoo.com/mrss/}"
_YT: Final = "{http://www.youtube.com/xml/schemas/2015}"
_SITE: Final = "https://www.youtube.com"
_NOT_IN_XML: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")

register_namespace("", _ATOM[1:-1])
register_namespace("media", _MEDIA[1:-1])
register_namespace("yt", _YT[1:-1])


def feed(channel: MadeChannel) -> bytes:
    """Return the newest videos; the feed's own channel id lacks its `UC`, as YouTube's does."""
    root = Element(f"{_ATOM}feed")
    SubElement(root, f"{_ATOM}id").text = f"yt:channel:{channel.channel_id[2:]}"
    SubElement(root, f"{_YT}channelId").text = channel.channel_id[2:]
    SubElement(root, f"{_ATOM}title").text = _NOT_IN_XML.sub("", channel.title)
    SubElement(root, f"{_ATOM}published").text = channel.published_at
    for video in channel.public()[:FEED_LENGTH]:
        _entry(root, channel, video)
    return tostring(root, encoding="utf-8", xml_declaration=True)


def _entry(root: Element, channel: MadeChannel, video: MadeVideo) -> None:
    entry = SubElement(root, f"{_ATOM}entry")
    published = video.published_at.isoformat()
    for name, text in (
        (f"{_ATOM}id", f"yt:video:{video.video_id}"),
        (f"{_YT}videoId", video.video_id),
        (f"{_YT}channelId", channel.channel_id),
        (f"{_ATOM}title", video.title),
        (f"{_ATOM}published", published),
        (f"{_ATOM}updated", instant(video.published_at)),
    ):
        SubElement(entry, name).text = _NOT_IN_XML.sub("", text)
    group = SubElement(entry, f"{_MEDIA}group")
    SubElement(group, f"{_MEDIA}title").text = _NOT_IN_XML.sub("", video.title)
    description = SubElement(group, f"{_MEDIA}description")
    description.text = _NOT_IN_XML.sub("", video.description)
    if video.views is not None:
        community = SubElement(group, f"{_MEDIA}community")
        SubElement(community, f"{_MEDIA}statistics", views=str(video.views))


def channel_page(channel: MadeChannel) -> str:
    """Return a channel's page, which names another channel first."""
    metadata = json.dumps(
        {"title": channel.title, "externalId": channel.channel_id}, separators=(",", ":")
    )
    return (
        f"<!DOCTYPE html><html><head><title>{html.escape(channel.title)}</title>"
        f'<script>var featured = {{"channelId":"UC{"x" * 22}"}};</script>'
        f'<link rel="canonical" href="{_SITE}/channel/{channel.channel_id}">'
        f'</head><body><script>var data = {{"channelMetadataRenderer":{metadata}}};</script>'
        "</body></html>"
    )


def video_page(channel: MadeChannel, video: MadeVideo) -> str:
    """Return a video's page."""
    details = {
        "videoId": video.video_id,
        "title": video.title,
        "channelId": channel.channel_id,
        "shortDescription": video.description,
    }
    data = json.dumps(
        {"playabilityStatus": {"status": "OK"}, "videoDetails": details}, separators=(",", ":")
    )
    return (
        f"<!DOCTYPE html><html><head><title>{html.escape(video.title)}</title>"
        f'<link rel="canonical" href="{_SITE}/watch?v={video.video_id}">'
        f"</head><body><script>var ytInitialPlayerResponse = {data};</script></body></html>"
    )


def no_video_page() -> str:
    """Return the page of a video that is not there, whose status is 200 all the same."""
    return (
        "<!DOCTYPE html><html><body><script>var ytInitialPlayerResponse = "
        '{"playabilityStatus":{"status":"ERROR","reason":"Video unavailable"}};</script>'
        "</body></html>"
    )
