"""Names that a site beside them tells: in small letters, behind a bracket, of a brand whose site is another, or of a platform that pays."""

import pytest

from import_worker.detector import ChannelContext, channel_context
from import_worker.detector.candidates import Candidate
from import_worker.detector.directory import read_directory
from import_worker.detector.proposals import propose_features

# The brand that creators mostly advertise, and one that they do at times. Tile is also a word.
BRANDS = """name,domains,aliases,category,country,creator_ads
Quillbarrow,quillbarrow.com,,food,GB,3
Fernwick Capital,fernwickcapital.com,,finance,US,2
Tile,tile.com,,electronics,US,1
BrightHarbour,brightharbour.com,,software,US,2
"""
LAKESIDE = channel_context("Lakeside Diary", [])


def candidates(text: str, context: ChannelContext = LAKESIDE) -> list[Candidate]:
    directory = read_directory(BRANDS.splitlines())
    found = propose_features("A day", text, context, directory)
    return [item.candidate for item in found]


def named(text: str, context: ChannelContext = LAKESIDE) -> dict[str, str | None]:
    return {item.found.name: item.found.domain for item in candidates(text, context)}


def claimed(text: str) -> set[str]:
    return {item.found.name for item in candidates(text) if item.claims}


@pytest.mark.parametrize(
    "text",
    [
        "Sponsored by Zelvora (https://bit.ly/2abcde1) and Brentwick Tools (https://bit.ly/2abcde2).",
        "Sponsored by Zelvora: https://bit.ly/2abcde1 and Brentwick Tools https://bit.ly/2abcde2",
        "Sponsored by Zelvora (@zelvora), Brentwick Tools (@brentwicktools)",
        "Sponsored by Zelvora (https://bit.ly/2abcde1), Brentwick Tools (https://bit.ly/2abcde2) and Corley",
    ],
)
def test_a_list_goes_on_behind_the_site_of_a_name(text: str) -> None:
    assert {"Zelvora", "Brentwick Tools"} <= claimed(text)


@pytest.mark.parametrize(
    "text",
    [
        "Sponsored by Zelvora (https://bit.ly/2abcde1) Brentwick Tools made the bench.",
        "Sponsored by Zelvora (https://bit.ly/2abcde1), Jonas Lund rides a bike.",
        "Sponsored by Zelvora (in May) and Brentwick Tools made the bench.",
    ],
)
def test_a_list_ends_behind_a_site_that_nothing_joins_to_the_next_name(text: str) -> None:
    assert claimed(text) == {"Zelvora"}


@pytest.mark.parametrize(
    "text",
    [
        "Thanks to Zelvora and YouTube for sponsoring this video!",
        "Thanks to Quillbarrow, Zelvora and TikTok for sponsoring this video!",
    ],
)
def test_a_platform_that_ends_a_list_of_payers_is_one(text: str) -> None:
    found = claimed(text)
    assert "Zelvora" in found
    assert found & {"YouTube", "TikTok"}


@pytest.mark.parametrize(
    "text",
    [
        "Thanks to Zelvora and my YouTube members for sponsoring this video!",
        "Thanks to Zelvora for sponsoring this YouTube video!",
        "Sponsored by Zelvora and YouTube is where I post it.",
    ],
)
def test_a_platform_is_no_payer_elsewhere(text: str) -> None:
    assert "YouTube" not in claimed(text)


def test_a_name_in_small_letters_is_read_where_the_next_link_has_a_word_of_it() -> None:
    text = "Спасибо магазину северин спорт за предоставленные лыжи: https://msk-severin.ru"
    assert named(text)["Северин Спорт"] == "msk-severin.ru"


@pytest.mark.parametrize(
    "text",
    [
        "Спасибо магазину друга моей жены за предоставленные лыжи: https://msk-severin.ru",
        "Спасибо всем нашим дорогим зрителям северин за предоставленные лыжи: https://msk-severin.ru",
    ],
)
def test_other_words_in_small_letters_are_no_name(text: str) -> None:
    assert not any("северин" in name.lower() for name in claimed(text))


def test_the_site_of_a_brand_that_creators_advertise_is_not_the_channels_own() -> None:
    text = "Check out my merch and quillbarrow snacks: https://quillbarrow.com/lakeside"
    context = channel_context("Lakeside Diary", [text])
    assert context.own_domains == {"quillbarrow.com"}
    assert "Quillbarrow" in named(text, context)


@pytest.mark.parametrize(
    ("text", "channel"),
    [
        ("Check out my merch: https://fernwickcapital.com/lakeside", "Lakeside Diary"),
        ("Check out my merch: https://quillbarrow.com/lakeside", "Quillbarrow"),
    ],
)
def test_other_sites_that_a_text_calls_its_own_are(text: str, channel: str) -> None:
    assert named(text, channel_context(channel, [text])) == {}


def test_a_name_that_a_longer_domain_spells_is_the_known_brands() -> None:
    text = "Fernwick Capital, step by step\nJoin us: https://fernwickcapitaltour.com/sam"
    assert named(text)["Fernwick Capital"] == "fernwickcapital.com"


def test_a_word_that_a_longer_domain_spells_is_no_known_brand() -> None:
    text = "The Tile, step by step\nJoin us: https://tiletour.com/sam"
    assert "tile.com" not in named(text).values()


@pytest.mark.parametrize(
    "text",
    [
        "Our money rows with Fernwick Capital: http://fernwickcapital.ab.sitehold.net/page/sam",
        "Our savings are with Fernwick Capital, and yours may be too: https://FernwickLakesideDiary.com gives you $20.",
    ],
)
def test_the_known_brand_named_before_is_that_of_a_host_made_for_it(text: str) -> None:
    assert [item.found.name for item in candidates(text) if item.mentions][:1] == [
        "Fernwick Capital"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "We talk of Fernwick Capital. My shirts: https://LakesideDiary.com/all",
        "We talk of Fernwick Capital. My shirts: https://shopLakesideDiary.com/all",
        "We talk of Fernwick Capital, and of http://docs.sitehold.net/page/sam",
    ],
)
def test_a_brand_named_before_another_host_is_not_the_hosts(text: str) -> None:
    linked = [item.found for item in candidates(text) if item.found.linked]
    assert not any(found.known for found in linked)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("下载「绳索达」领30元优惠 https://dwz.cn/lakeside", "绳索达"),
        ("安裝「湖邊到府」,首月免費: https://hubian.tw/lakeside", "湖邊到府"),
        (
            "밧줄나라 앱 다운 받고 할인 챙기기: https://bit.ly/lakeside-app",
            "밧줄나라",
        ),
        ("रस्सी वाला ऐप इंस्टॉल कीजिए, छूट मिलेगी: https://rassi.page.link/lakeside", "रस्सी वाला"),
        (
            "نزّل تطبيق حبال وستحصل على خصم كبير عند أول طلب: https://bit.ly/hibal-lakeside",
            "حبال",
        ),
        ("「なわとび」をダウンロードして無料でゲット https://bit.ly/nawa-lakeside", "なわとび"),
    ],
)
def test_an_app_that_viewers_are_called_to_download_is_the_brand_of_the_link(
    text: str, name: str
) -> None:
    assert claimed(text) == {name}


@pytest.mark.parametrize(
    "text",
    [
        "打开「设置」领50元新人券:https://dwz.cn/lakeside",
        "우리 앱 깔고 첫 주문 5,000원 쿠폰 받으세요 👉 https://bit.ly/lakeside-app",
        "हमारा ऐप डाउनलोड करें, ₹150 की छूट: https://bit.ly/lakeside",
        "حمّل تطبيق القناة مجاناً: https://bit.ly/lakeside",
        "밧줄나라에서 앱 이야기를 했어요. 쿠폰은 여기 https://bit.ly/lakeside-app",
    ],
)
def test_the_creators_own_app_and_places_of_a_page_are_no_brand_of_a_link(text: str) -> None:
    assert claimed(text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "This video is sponsored by BrightHarbour. Get 25% off with code DAN25 at https://bh.gg/dan",
        "BrightHarbour sponsored this video. Try it: https://bh.io/dan",
        "Sponsored by Fernwick Capital. Start here: https://fc.link/dan",
    ],
)
def test_a_short_site_is_the_brands_that_the_sentence_before_states_and_whose_initials_it_has(
    text: str,
) -> None:
    assert len(named(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "Sponsored by BrightHarbour. Code DAN25 at https://qz.gg/dan",
        "Sponsored by BrightHarbour.\n\nCode DAN25 at https://bh.gg/dan",
        "Sponsored by BrightHarbour. My second sponsor is zelvora, code DAN25 at https://bh.gg/dan",
        "Sponsored by BrightHarbour. Bonham gives 25% off with code DAN25 at https://bh.gg/dan",
        "Not sponsored by BrightHarbour. Get 25% off with code DAN25 at https://bh.gg/dan",
        "Filmed at BrightHarbour. Get 25% off with code DAN25 at https://bh.gg/dan",
        "Learn BrightHarbour and get 25% off with code DAN25 at https://qz.gg/dan",
    ],
)
def test_a_short_site_of_somebody_else_is_no_site_of_the_brand_before_it(text: str) -> None:
    assert any(domain and domain.endswith(".gg") for domain in named(text).values())
