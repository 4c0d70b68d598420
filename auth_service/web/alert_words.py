"""The words of the page of alerts, for what tools and webhooks have names and ids for."""

import re
from collections.abc import Mapping
from typing import Final

from auth_service.domain.alerts.model import EMAIL, FEED, SUBJECTS, WEBHOOK, Channel
from auth_service.domain.alerts.watches import NewWatch
from servicekit.errors import InvalidInput

KINDS: Final = {
    "webhook": "Webhook",
    "slack": "Slack",
    "discord": "Discord",
    "email": "Email",
    "feed": "Atom feed",
}
SUBJECT_NAMES: Final = {
    "sponsor": "Brand",
    "youtuber": "Creator",
    "category": "Category of brands",
    "import": "Import",
    "quota": "Requests of the month",
    "report": "Own reports",
}
EVENTS: Final = {
    "sponsorship.new": "New sponsorship",
    "sponsorship.first": "First sponsorship of a brand and a creator",
    "relation.lapsed": "Relation lapsed",
    "import.finished": "Import finished",
    "quota.reached": "80 and 100 % of requests used",
    "report.decided": "Report accepted or rejected",
}
DIGESTS: Final = {"at_once": "At once", "hourly": "Hourly", "daily": "Daily", "weekly": "Weekly"}

_QUOTED: Final = re.compile(r"`([^`]+)`")
_FIELDS: Final = {"subject": "“Which one”", "about": "“Watch”", "kinds": "“Only these events”"}
_SENTENCES: Final = {
    "`sponsor.search`": "the search on Explore",
    "`sponsor.get`": "the search on Explore",
    "`youtuber.get`": "the search on Explore",
    "`youtuber.search`": "the search on Explore",
    "`channel.import`": "an import",
    "`channel.imports` lists their ids; an empty `subject` watches all.": "Leave “Which one” empty for all imports.",
    "watch it with `about` sponsor.": "choose “Brand” as what to watch.",
    "watch it with `about` youtuber.": "choose “Creator” as what to watch.",
    "`watch.list` has the ids of yours.": "It may have been deleted already.",
    "`category.list` with `scope` sponsor has them.": "The page Explore has them.",
    "The page Explore and `category.list` have them all.": "The page Explore has them all.",
}


def subjects_of(kind: str) -> str:
    """Return what events of a kind are of, as a form compares it."""
    return " ".join(about for about, kinds in SUBJECTS.items() if kind in kinds)


def check_kinds(wanted: NewWatch) -> None:
    """Refuse events that what is watched does not have, in the words of the form.

    Raises:
        InvalidInput: There is such an event.
    """
    possible = SUBJECTS.get(wanted.about, ())
    unfit = [EVENTS[kind] for kind in wanted.kinds if kind in EVENTS and kind not in possible]
    if unfit and possible:
        names = ", ".join(EVENTS[kind] for kind in possible)
        raise InvalidInput(
            f"“Only these events”: {', '.join(unfit)} does not go with “{SUBJECT_NAMES[wanted.about]}”. Choose from: {names}.",
            details={"field": "kinds"},
        )


def in_form_words(message: str) -> str:
    """Return a message of the use cases with the labels of the form in place of names of arguments."""
    for sentence, words in _SENTENCES.items():
        message = message.replace(sentence, words)
    return _QUOTED.sub(lambda quoted: _FIELDS.get(quoted[1], quoted[1]), message)


def channel_labels(channels: Mapping[str, Channel]) -> dict[str, str]:
    """Return the names of channels by id with their address or host, and a part of the id where that leaves two alike."""
    labels = {channel_id: _label(channel) for channel_id, channel in channels.items()}
    texts = list(labels.values())
    return {
        channel_id: f"{label} …{channel_id[-4:]}" if texts.count(label) > 1 else label
        for channel_id, label in labels.items()
    }


def shown_target(channel: Channel) -> str:
    """Return the address as pages show it: URLs of Slack and Discord have their secret in the path."""
    if channel.kind in (WEBHOOK, EMAIL):
        return channel.target
    return f"{'/'.join(channel.target.split('/')[:3])}/…" if channel.target else ""


def _label(channel: Channel) -> str:
    if channel.kind == FEED:
        address = "feed"
    elif channel.kind == EMAIL:
        address = channel.target
    else:
        address = channel.target.partition("://")[2].partition("/")[0]
    return f"{channel.name} ({address})" if address else channel.name
