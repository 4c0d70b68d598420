"""Statements of other things than a video, and persons in a sponsor's place."""

import pytest

from import_worker.detector import channel_context, detect

LAKESIDE = channel_context("Lakeside Diary", [])


def found(description: str) -> set[str]:
    return {item.brand for item in detect("A day at the lake", description, LAKESIDE)}


@pytest.mark.parametrize(
    "text",
    [
        "Thanks to Rosalind for sponsoring my tea habit.",
        "Thanks to Corwin for sponsoring our football team.",
        "Danke an Corwin für das Sponsoring der Getränke.",
    ],
)
def test_who_is_thanked_for_sponsoring_another_thing_is_no_sponsor(text: str) -> None:
    assert found(text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "Thanks to Brindlewick for sponsoring this trip.",
        "Thanks to Brindlewick for sponsoring our podcast.",
        "Thanks to Brindlewick for sponsoring the first half of this haul.",
        "Gracias a Brindlewick por patrocinar este viaje.",
        "Merci à Brindlewick de sponsoriser cette vidéo.",
        "Thanks to Brindlewick for sponsoring us.",
        "Thanks to our friends at Brindlewick for sponsoring the channel.",
    ],
)
def test_who_is_thanked_for_sponsoring_a_work_of_the_creators_is_its_sponsor(text: str) -> None:
    assert found(text) == {"Brindlewick"}


@pytest.mark.parametrize(
    "text",
    [
        "Thanks to Grandpa for sponsoring this video.",
        "Thanks to my friend Perrin Alder for sponsoring this video.",
        "Gracias a mi tía Rosa por patrocinar este viaje.",
        "Merci à Mamie de sponsoriser ce voyage.",
    ],
)
def test_a_relative_or_friend_is_no_sponsor(text: str) -> None:
    assert found(text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "Thanks to our sponsors at the Silver tier: Perrin Alder, Wilma K, Corwin Vale",
        "Patrons & sponsors of this month: Perrin Alder, Wilma Kay",
        "Channel sponsors: Wilma K., Corwin V., Perrin A.",
    ],
)
def test_supporters_by_their_names_are_no_companies(text: str) -> None:
    assert found(text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "Title sponsor of the league is Brindlewick.",
        "The stadium is sponsored by Brindlewick.",
        "The exhibition was sponsored by Brindlewick.",
        "Team Quarrel is sponsored by Brindlewick.",
        "She was sponsored by Brindlewick at 17. A documentary.",
        "Our first sponsor was Brindlewick in 2009.",
        "In 1998 he was in partnership with Adidas.",
        "Song: Sponsored by the Tarn",
        "A poem called 'Brought to you by the Tarn'",
        "Thumbnail by Wilma. Script by Corwin. Sponsored segment by Ana.",
    ],
)
def test_a_statement_of_something_else_than_the_video_names_no_sponsor(text: str) -> None:
    assert found(text) == set()


def test_credits_before_a_statement_do_not_void_it() -> None:
    assert found("Edited by Wilma. This video is sponsored by Brindlewick.") == {"Brindlewick"}


@pytest.mark.parametrize(
    "text",
    [
        "Adidas sponsors the Super Bowl this year.",
        "Adidas is sponsoring the Olympics again.",
        "Adidas sponsors the German national team.",
        "Red Bull sponsert die Formel 1.",
        "Adidas patrocina la selección.",
        "We used to be sponsored by Brindlewick.",
        "This channel was sponsored by Brindlewick until 2021.",
        "We were sponsored by Brindlewick in the past.",
    ],
)
def test_sponsors_of_events_and_of_before_are_none_of_the_video(text: str) -> None:
    assert found(text) == set()


@pytest.mark.parametrize(
    ("text", "brand"),
    [
        ("Adidas sponsors the Olympics and this video.", "Adidas"),
        ("Thanks to Adidas for sponsoring the Super Bowl special of my channel.", "Adidas"),
        ("Adidas sponsert den FC Quarrel und dieses Video.", "Adidas"),
        ("Red Bull sponsert dieses Video.", "Red Bull"),
        ("This video is sponsored by Adidas. Until 2019 I ran alone.", "Adidas"),
    ],
)
def test_events_and_years_beside_a_statement_do_not_void_it(text: str, brand: str) -> None:
    assert found(text) == {brand}


@pytest.mark.parametrize(
    "text",
    [
        "Weder NordVPN noch sonst jemand hat dieses Video gesponsert.",
        "Ni Surfshark ni personne d'autre n'a sponsorisé cette vidéo.",
        "Nobody, and certainly not Squarespace, paid for this video.",
        "Personne ne sponsorise cette vidéo, ni Surfshark ni NordVPN.",
    ],
)
def test_neither_and_nobody_deny_a_statement(text: str) -> None:
    assert found(text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "Nobody has supported this channel like NordVPN, who sponsored this video.",
        "Weder kurz noch lang: NordVPN hat dieses Video gesponsert.",
        "Ni une ni deux : NordVPN sponsorise cette vidéo.",
        "No one paid me to say so. This video is sponsored by NordVPN.",
    ],
)
def test_neither_and_nobody_of_something_else_deny_nothing(text: str) -> None:
    assert found(text) == {"NordVPN"}


@pytest.mark.parametrize(
    "text",
    [
        "Thanks to our festival sponsors Volksbank and Autohaus Krämer, and to everyone who came.",
        "Title sponsor of the race is BMW.",
        "The race is sponsored by BMW.",
        "The conference was sponsored by Google Cloud and Datadog.",
        "BMW is the title sponsor of the Berlin Marathon.",
        "The Tour de France is sponsored by LCL.",
    ],
)
def test_the_sponsors_of_what_is_held_for_many_are_none_of_the_video(text: str) -> None:
    assert detect("A day at the lake", text, channel_context("Lakeside Diary", [])) == ()


def test_the_video_of_a_race_has_its_own_sponsor() -> None:
    text = "The race was fun! This video is sponsored by BMW."
    found = detect("A day at the lake", text, channel_context("Lakeside Diary", []))
    assert [item.brand for item in found] == ["BMW"]
