"""One rule of the detector each: what it takes for a sponsorship, and what only looks like one."""

import pytest

from import_worker.detector import (
    DETECTOR_VERSION,
    ChannelContext,
    Detection,
    channel_context,
    detect,
)

NO_ELICITATION = ChannelContext()
LAKESIDE = channel_context(
    "Lakeside Diary",
    [f"Walk {n}. Follow me: https://instagram.com/lakesidediary" for n in range(6)],
)


def found(
    description: str, title: str = "A day at the lake", context: ChannelContext = NO_ELICITATION
) -> dict[str, Detection]:
    return {item.brand: item for item in detect(title, description, context)}


@pytest.mark.parametrize(
    "text",
    [
        "Get 20% off my merch with code LAKE20: https://lakeside-merch.com",
        "Our new course is 30% off with code ROWING at https://lakesidediary.com/course",
        "Hoodies and shirts: https://teespring.com/stores/lakeside use code SHORE",
        "Mein Merch gibt es hier (Eigenwerbung): https://lakesidediary.de",
    ],
)
def test_own_merchandise_and_courses_are_no_sponsors(text: str) -> None:
    assert found(text, context=LAKESIDE) == {}


@pytest.mark.parametrize(
    "text",
    [
        "My second channel: https://youtube.com/@lakesidenights",
        "Shoutout to https://youtube.com/@mountainpeople for the ride.",
        "Featuring @MountainPeople, subscribe to them!",
    ],
)
def test_other_channels_are_no_sponsors(text: str) -> None:
    assert found(text, context=LAKESIDE) == {}


@pytest.mark.parametrize(
    "text",
    [
        "Music provided by Harbour Sounds: https://harboursounds.com",
        "Song: Still Water, music by Epidemic Sound https://www.epidemicsound.com",
        "Listen on Spotify: https://lakeband.lnk.to/StillWater/spotify",
        "音楽素材提供：湖の音楽工房",
        "Download Still Water now: https://smarturl.it/stillwater Apple Music, Spotify, Deezer",
    ],
)
def test_music_and_its_stores_are_no_sponsors(text: str) -> None:
    assert found(text) == {}


@pytest.mark.parametrize(
    "text",
    [
        "Camera: https://amzn.to/3aaaaaa\nLens: https://amzn.to/3bbbbbb\nSome are affiliate links.",
        "My gear: https://kit.co/lakeside/my-boat",
        "Sony camera - https://geni.us/abcd\nRode microphone - https://geni.us/efgh",
    ],
)
def test_a_gear_list_names_no_sponsor(text: str) -> None:
    assert found(text) == {}


@pytest.mark.parametrize(
    "text",
    [
        "All donations go to the Lakes Foundation: https://lakesfoundation.org/donate",
        "We raise money for charity with https://tiltify.com/lakeside",
    ],
)
def test_charity_is_no_sponsor(text: str) -> None:
    assert found(text) == {}


@pytest.mark.parametrize(
    "text",
    [
        "Become a sponsor of this channel: https://youtube.com/@lakeside/join",
        "Thanks to all my patrons for sponsoring this walk: https://patreon.com/lakeside",
        "Thanks to our channel members for their support!",
        "For sponsorship enquiries: hello@lakeside.example",
    ],
)
def test_fan_funding_and_contact_lines_name_no_sponsor(text: str) -> None:
    assert found(text) == {}


@pytest.mark.parametrize(
    "text",
    [
        "Support-a-Creator code: LAKESIDE in the Fortnite item shop",
        "Code créateur LAKESIDE dans la boutique Fortnite",
        "Use creator code LAKESIDE in the Supercell store https://store.supercell.com",
    ],
)
def test_codes_that_platforms_give_to_creators_are_no_promo_codes(text: str) -> None:
    assert found(text) == {}


@pytest.mark.parametrize(
    "text",
    [
        "Read the source code AT https://surfshark.com today",
        "Timecodes: CODE at 0:15, Surfshark at 1:20",
        "ZIP code A1234, the town of Surfshark",
    ],
)
def test_other_codes_are_no_promo_codes(text: str) -> None:
    assert found(text) == {}


def test_lost_line_breaks_do_not_hide_a_sponsor() -> None:
    text = (
        "We rowed all day.Get 20% off: https://surfshark.com/lakeFollow me: "
        "https://instagram.com/lakesideMusic: https://soundcloud.com/shore"
    )
    assert found(text)["Surfshark"].link == "https://surfshark.com/lake"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Go to https://trysurfshark.com/lakeside for 20% off", "Surfshark"),
        ("Get 10% off at https://get.surfshark.com/lakeside", "Surfshark"),
        ("Thanks to Quillbarrow for sponsoring! https://tryquillbarrow.com/lake", "Quillbarrow"),
        ("Get a free trial: https://surfshark.com/lakesidediary", "Surfshark"),
        ("30 days free: https://surfshark.pxf.io/lake", "Surfshark"),
    ],
)
def test_campaign_domains_and_the_creators_path_name_the_brand(text: str, name: str) -> None:
    assert name in found(text, context=LAKESIDE)


@pytest.mark.parametrize(
    "text",
    [
        "Try Surfshark with my link and get 3 months free: https://bit.ly/lakeside-surfshark",
        "Get 3 months free of Surfshark: https://geni.us/lake",
    ],
)
def test_a_short_link_takes_the_brand_of_the_words_beside_it(text: str) -> None:
    detection = found(text)["Surfshark"]
    assert detection.domain == "surfshark.com"


def test_a_short_link_alone_names_nobody() -> None:
    assert found("Get 3 months free with my link: https://bit.ly/3lakes") == {}


def test_a_creators_own_redirect_names_a_known_brand() -> None:
    context = channel_context(
        "Lakeside Diary", ["Buy our merch: https://www.lakesidediary.com/merch"] * 5
    )
    text = "Try out Surfshark: https://lakesidediary.com/surfshark"
    assert list(found(text, context=context)) == ["Surfshark"]


def test_the_nearer_brand_has_the_code() -> None:
    text = (
        "A Garmin fell into the water. With code LAKE you save 80% at https://surfshark.deals/lake"
    )
    assert [item.code for item in found(text).values()] == ["LAKE"]
    assert list(found(text)) == ["Surfshark"]


def test_a_code_behind_the_thanks_is_the_thanked_sponsors() -> None:
    text = (
        "Our ferry was sponsored by EcoFlow. Save 8% with the code LAKE8 at this store: "
        "https://amzn.to/3aaaaaa\n\nGarmin compass: https://geni.us/aaa"
    )
    detections = found(text)
    assert list(detections) == ["EcoFlow"]
    assert detections["EcoFlow"].code == "LAKE8"


def test_two_sponsors_in_one_sentence_are_both_found() -> None:
    assert set(found("Thanks to Surfshark and Squarespace for sponsoring this video!")) == {
        "Surfshark",
        "Squarespace",
    }


def test_a_list_under_a_heading_of_sponsors_is_read() -> None:
    text = "SPONSORS\nGarmin - https://garmin.com/lake\nSurfshark - https://surfshark.com/lake"
    assert {"Garmin", "Surfshark"} <= set(found(text))


def test_a_name_that_is_also_a_word_needs_its_link() -> None:
    assert found("Use code LAKE, said Roman, and Honey was in the tea: 10% off") == {}
    assert "Honey" in found("Get Honey for free: https://joinhoney.com/lake")


def test_a_mark_of_advertising_behind_a_link_is_for_that_link() -> None:
    text = "Zum Hören: https://spoti.fi/3a Kompass von: https://garmin.com/x (Werbung)"
    assert list(found(text)) == ["Garmin"]


def test_a_sponsor_without_a_link_beside_it_takes_the_site_viewers_are_sent_to() -> None:
    text = "Sponsored by the Quillbarrow Almanac. Learn more at https://inkandoar.com"
    assert [item.domain for item in found(text).values()] == ["inkandoar.com"]


def test_what_viewers_send_is_no_free_product() -> None:
    assert found("Thanks to Wendell Pike for sending me this clip of the otters!") == {}
    assert list(found("Thanks to Pikewell for sending me this boat!")) == ["Pikewell"]


def test_a_sponsor_in_the_title_is_quoted_from_the_title() -> None:
    (detection,) = detect("My lake | sponsored by Surfshark", "", NO_ELICITATION)
    assert (detection.source, detection.brand) == ("title", "Surfshark")


def test_a_brands_own_short_domain_is_resolved_by_the_name_beside_it() -> None:
    detections = found(
        "My Elgato recorder, 10% off for you: https://e.lga.to/lakeside", context=LAKESIDE
    )
    assert [d.domain for d in detections.values()] == ["elgato.com"]


def test_a_hashtag_lends_no_brand_to_an_offer() -> None:
    text = "Get the song for free: https://bit.ly/3lakes #surfshark"
    assert found(text) == {}
    assert "Surfshark" in found("Rowing along the shore #ad #surfshark")


def test_a_percentage_glued_to_a_domain_is_no_part_of_it() -> None:
    detections = found("Shirts: https://www.quillbarrow.com-10% with code LAKESIDE")
    assert [(d.domain, d.code) for d in detections.values()] == [("quillbarrow.com", "LAKESIDE")]


def test_a_known_brand_is_thanked_in_lower_case_too() -> None:
    assert list(found("thank you to surfshark for sponsoring this walk")) == ["Surfshark"]
    assert found("thank you to everyone for sponsoring this walk") == {}


def test_thanks_for_making_a_video_possible_need_the_companys_link() -> None:
    disclosure = "Special thanks to Quillbarrow for making this walk possible."
    assert found(disclosure) == {}
    assert list(found(f"{disclosure} https://quillbarrow.com")) == ["Quillbarrow"]


def test_a_request_for_subscribers_is_no_offer() -> None:
    assert (
        found("Subscribe for free: https://quillbarrow.com/lakesidediary", context=LAKESIDE) == {}
    )
    text = "40% off a subscription: https://quillbarrow.com/lakesidediary"
    assert list(found(text, context=LAKESIDE)) == ["Quillbarrow"]


def test_a_link_that_every_video_repeats_is_not_this_videos_own_offer() -> None:
    text = "Get 10% off at https://surfshark.com/lakesidediary"
    context = channel_context("Lakeside Diary", [f"{text} walk {n}" for n in range(6)])
    assert found(text, context=context)["Surfshark"].kind == "affiliate"
    assert found(text, context=LAKESIDE)["Surfshark"].kind == "paid_sponsorship"


def test_a_list_of_handles_under_sponsors_is_read_without_their_suffixes() -> None:
    assert "Surfshark" in found("Oferecimento: @surfshark_brasil, @quillbarrow")


def test_a_paid_mark_makes_a_partners_handle_a_sponsor() -> None:
    disclosure = "For the regatta we teamed up with @Quillbarrow once more."
    assert found(disclosure) == {}
    assert list(found(f"Contains paid promotion.\n\n{disclosure}")) == ["Quillbarrow"]


def test_a_code_made_of_the_channel_and_a_hashtag_is_for_that_brand() -> None:
    text = "Use the code QuillbarrowLakesideDiary for 15 % off your oars. #quillbarrow"
    assert [d.brand.lower() for d in found(text, context=LAKESIDE).values()] == ["quillbarrow"]


def test_what_viewers_should_try_at_the_top_is_named_beside_a_short_link() -> None:
    assert list(found("Install Quillbarrow for free with my link: https://bit.ly/3lakes")) == [
        "Quillbarrow"
    ]
    far = (
        "You can try Quillbarrow tea for free if you ask at the landing or write: https://bit.ly/3a"
    )
    near = found("Install Quillbarrow for free with my link: https://bit.ly/3lakes")["Quillbarrow"]
    assert all(item.confidence < near.confidence for item in found(far).values())
    below = (
        "We swam all day long.\n" * 30
        + "Install Quillbarrow for free with my link: https://bit.ly/3lakes"
    )
    assert found(below) == {}


def test_a_misspelt_brand_is_still_known() -> None:
    for written in ("Squarspace", "Sqarespace", "Squarespacce", "Squarespase", "Squarespcae"):
        assert list(found(f"This walk is sponsored by {written}")) == ["Squarespace"]
    assert list(found("This walk is sponsored by Xquarespace")) == ["Xquarespace"]


def test_a_name_that_is_two_letters_off_a_brand_is_another_name() -> None:
    assert list(found("Thanks to Miller Lite for sponsoring this walk.")) == ["Miller Lite"]
    assert "MailerLite" not in found("Thanks to Millor Lite for sponsoring this walk.")


def test_sister_brands_of_one_company_are_brands_of_their_own() -> None:
    assert list(found("This walk is sponsored by 888sport")) == ["888sport"]
    assert list(found("This walk is sponsored by 888casino")) == ["888casino"]


def test_state_sponsored_is_no_sponsorship() -> None:
    assert found("How state-sponsored hackers broke into Garmin") == {}


def test_what_was_found_says_how_sure_it_is_and_why() -> None:
    detection = found("Sponsored by Surfshark: https://surfshark.com/lake, code LAKE")["Surfshark"]
    assert (detection.code, detection.link, detection.domain) == (
        "LAKE",
        "https://surfshark.com/lake",
        "surfshark.com",
    )
    assert detection.confidence > 0.9
    assert detection.reason.startswith("stated sponsor")


def test_the_version_is_a_release_number() -> None:
    assert DETECTOR_VERSION > "1.0.0"


def test_a_code_on_the_line_below_belongs_to_the_item_above() -> None:
    text = (
        "NordVPN: https://nordvpn.com/lake\nCode LAKE for 70% off\n"
        "Manscaped: https://manscaped.com/lake\nCode LAKEM for 20% off"
    )
    assert {item.brand: item.code for item in found(text).values()} == {
        "NordVPN": "LAKE",
        "Manscaped": "LAKEM",
    }


def test_a_code_in_a_sponsors_list_belongs_to_its_own_item() -> None:
    text = (
        "Thanks to our sponsors:\nFernwick Coffee: https://bit.ly/3abcd (code TALK15 for 15% off)\n"
        "Squarespace: https://squarespace.com/lake\n"
        "BetterHelp: https://betterhelp.com/lake (code HELP9)"
    )
    assert {item.brand: item.code for item in found(text).values()} == {
        "Fernwick Coffee": "TALK15",
        "Squarespace": None,
        "BetterHelp": "HELP9",
    }


@pytest.mark.parametrize(
    "text",
    [
        "If this video were sponsored by Audible I would tell you.",
        "Last week's video was sponsored by Squarespace.",
        "The kits sponsored by Emirates are red.",
    ],
)
def test_what_is_supposed_or_past_or_of_others_is_no_sponsor(text: str) -> None:
    assert found(text) == {}


def test_a_legal_form_is_no_brand() -> None:
    assert [item.brand for item in found("Реклама. ООО «Яндекс», erid: 2Vtz").values()] == [
        "Yandex"
    ]


@pytest.mark.parametrize(
    ("text", "brand"),
    [
        ("Many thanks to https://lakeboats.store for the loan of this boat.", "Lakeboats"),
        (
            "Thank you to Ada and the team at Lakeboats for letting us sail it: https://lakeboats.store",
            "Lakeboats",
        ),
        (
            "Благодарим салон Лодкоград за предоставленный автомобиль: https://lodkograd.store",
            "Лодкоград",
        ),
        ("* 영상은 Lakeboats로 부터 무상 대여 받아 제작된 영상입니다", "Lakeboats"),
    ],
)
def test_what_a_company_lent_or_let_be_used_is_a_free_product(text: str, brand: str) -> None:
    detections = found(text)
    assert brand in detections
    assert detections[brand].kind == "free_product"


def test_names_that_run_into_each_other_in_a_list_without_line_breaks_are_separate_brands() -> None:
    text = "Uma noite ao vivo!Patrocínio:Cervejaria BracuíSupermercado PontalCafé SerranoInscreva-se: https://youtube.com/c/lago"
    assert {"Cervejaria Bracuí", "Supermercado Pontal", "Café Serrano"} <= found(text).keys()


def test_a_known_brand_beside_a_domain_of_a_few_letters_is_what_the_link_is_about() -> None:
    assert "Crossout" in found(
        "https://xo.pub/LAKESIDE — качай Crossout бесплатно, забирай свой бонус при регистрации!"
    )


def test_a_longer_name_that_a_link_spells_is_no_part_of_a_known_brand() -> None:
    text = "Thanks to Audi Queensway for lending us this car! https://www.audiqueensway.ca/en"
    assert "Audi Queensway" in found(text)
