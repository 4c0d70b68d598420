"""Statements that name payment stand on their own: any name is a sponsor's, without a link and outside the directory."""

import pytest

from import_worker.detector import channel_context, detect

LAKESIDE = channel_context("Lakeside Diary", [])


def brands(text: str) -> list[str]:
    return [item.brand for item in detect("A day at the lake", text, LAKESIDE)]


@pytest.mark.parametrize(
    "text",
    [
        "Sponsored: Quillbarrow",
        "Sponsored content from Quillbarrow",
        "Advertisement: Quillbarrow",
        "AD | Quillbarrow",
        "Sponsor ➡️ Quillbarrow https://bit.ly/3lakeab",
        "This walk includes paid product placement by Quillbarrow.",
        "I was paid by Quillbarrow to make this video.",
        "Funded by Quillbarrow",
        "Bezahlte Partnerschaft mit Quillbarrow",
        "Werbung für Quillbarrow",
        "Dieses Video enthält Werbung für Quillbarrow.",
        "Collaboration commerciale avec Quillbarrow",
        "Colaboración pagada con Quillbarrow",
        "Contiene publicidad de Quillbarrow",
        "Incluye promoción pagada de Quillbarrow",
        "Parceria paga com Quillbarrow",
        "Inclui promoção paga: Quillbarrow",
        "Contiene pubblicità: Quillbarrow",
        "Betalt samarbeid med Quillbarrow",
        "Samarbete med Quillbarrow (reklam)",
        "Kaupallinen yhteistyö: Quillbarrow",
        "Betaalde samenwerking met Quillbarrow",
        "Współpraca płatna: Quillbarrow",
        "Odcinek zawiera lokowanie marki Quillbarrow",
        "Рекламный партнёр: Quillbarrow",
        "[광고] Quillbarrow",
        "0:00 Jetty\n1:45 Sponsor: Quillbarrow\n3:10 Mill",
    ],
)
def test_words_that_state_payment_are_enough_for_any_name(text: str) -> None:
    assert brands(text) == ["Quillbarrow"]


@pytest.mark.parametrize(
    "text",
    [
        "This video is supported by Quillbarrow.",
        "Made possible by Quillbarrow",
        "Thanks to Quillbarrow for making this video possible!",
        "We partnered with Quillbarrow to bring you this tour.",
        "I'm an ambassador for Quillbarrow.",
        "I am a Quillbarrow ambassador.",
        "In Kooperation mit Quillbarrow",
        "En partenariat avec Quillbarrow",
        "En colaboración con Quillbarrow",
        "Em parceria com Quillbarrow",
        "Video realizzato in collaborazione con Quillbarrow",
        "In samenwerking met Quillbarrow",
        "بالتعاون مع Quillbarrow",
    ],
)
def test_who_a_video_was_made_with_is_a_sponsor_by_its_link_as_it_may_be_a_person(
    text: str,
) -> None:
    assert brands(f"{text}\nhttps://quillbarrow.com/lake") == ["Quillbarrow"]
    assert brands(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "This video was made in partnership with Quillbarrow.",
        "Created in collaboration with Quillbarrow",
        "Filmed in paid partnership with Quillbarrow.",
        "Dieser Film entstand in Zusammenarbeit mit Quillbarrow.",
        "Cette vidéo a été réalisée en partenariat avec Quillbarrow.",
        "Este video fue hecho en colaboración con Quillbarrow.",
        "Este vídeo foi gravado em parceria com Quillbarrow.",
        "Questo video è stato girato in collaborazione con Quillbarrow.",
        "Deze film is gemaakt in samenwerking met Quillbarrow.",
        "Film powstał we współpracy z marką Quillbarrow.",
        "Video vzniklo ve spolupráci se značkou Quillbarrow.",
        "Выпуск снят совместно с компанией Quillbarrow.",
        "Den här videon är gjord i samarbete med Quillbarrow.",
        "Video ini dibuat atas kerja sama dengan Quillbarrow.",
        "Video này được thực hiện với sự hợp tác cùng Quillbarrow.",
        "Ye video Quillbarrow ke saath partnership mein banaya gaya hai.",
        "Quillbarrow made this possible and asked for nothing.",
    ],
)
def test_a_video_made_together_with_a_name_needs_no_link(text: str) -> None:
    assert brands(text) == ["Quillbarrow"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("本期视频与林泉户外合作拍摄。", ["林泉户外"]),
        ("夜景部分由林泉户外特别支持。", ["林泉户外"]),
        ("هذه الحلقة برعاية وبالتعاون مع دار السنديان.", ["دار السنديان"]),
        ("Video ini dibuat atas kerja sama dengan Quillbarrow dan Brentwick.", ["Brentwick", "Quillbarrow"]),
        ("Produced in paid collaboration with Garmin.", ["Garmin"]),
        ("This film was made in partnership with Brindle Sports.", ["Brindle Sports"]),
    ],
)  # fmt: skip
def test_whom_a_video_was_made_with_is_read_in_other_scripts_and_lists(
    text: str, names: list[str]
) -> None:
    assert sorted(brands(text)) == names


@pytest.mark.parametrize(
    "text",
    [
        "This video was made in collaboration with Mary Brindle.",
        "This video was made in collaboration with Captain Brindle.",
        "This video was made in collaboration with Orrin Brindle.",
        "This video was made in collaboration with Mary and Quill.",
        "This video was made in collaboration with @brindlemakes.",
        "This film was produced in partnership with Brindle Pictures.",
        "This film was made in collaboration with the Brindle Orchestra.",
        "This video was made in partnership with the University of Brindle.",
        "Directed by Jan Brook. Produced in collaboration with Brindle Theatre.",
        "This song was made in collaboration with Brindle.",
        "This video was not made in partnership with Quillbarrow.",
        "Dieses Video entstand in Zusammenarbeit mit meinem Kanal Quillbarrow.",
        "Patience made this possible.",
        "Volunteers made this project possible.",
        "My friend Quill made this possible.",
        "She made this possible.",
    ],
)
def test_persons_creators_films_and_words_are_nobody_whom_a_company_made_a_video_with(
    text: str,
) -> None:
    assert brands(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Quillbarrow covered the cost of this trip.",
        "Quillbarrow compensated me for this video.",
        "Quillbarrow has provided funding for this video.",
        "Check out Quillbarrow, the sponsor of this video: https://bit.ly/3lakeab",
        "Quillbarrow, this video's sponsor, lets you plan a garden in minutes.",
        "Bu video Quillbarrow ile iş birliği içerir",
        "Bu videoda Quillbarrow reklamı bulunmaktadır",
        "यह वीडियो Quillbarrow द्वारा प्रायोजित है",
        "QuillbarrowのPRを含みます",
    ],
)
def test_who_paid_may_stand_before_the_words_for_it(text: str) -> None:
    assert brands(text) == ["Quillbarrow"]


@pytest.mark.parametrize(
    "text",
    [
        "Gifted: Quillbarrow",
        "Got this from Quillbarrow in exchange for an honest review.",
        "Recebi este produto da Quillbarrow",
        "Quillbarrowから商品提供を受けています",
        "Quillbarrow로부터 제품을 무상으로 제공받아 제작한 영상입니다",
    ],
)
def test_who_gave_the_product_is_named_without_a_link(text: str) -> None:
    found = detect("A day at the lake", text, LAKESIDE)
    assert [(item.brand, item.kind) for item in found] == [("Quillbarrow", "free_product")]


@pytest.mark.parametrize(
    "text",
    [
        "Werbung für mein Buch",
        "Werbung für meinen Shop: lakesidediary.de",
        "Unbezahlte Werbung für Quillbarrow",
        "Dieses Video enthält keine Werbung für Quillbarrow",
        "This is not a paid partnership with Quillbarrow",
        "I was paid by Quillbarrow years ago and hated it.",
        "Publicidad: @lakesidemanager",
        "Publicidad: manager@lakesidediary.com",
        "Sponsor: none",
        "AD | Paid partnership",
        "Video produced in collaboration with the University of Brindle",
        "Directed by Jan Brook, made in collaboration with Quillbarrow Films",
        "02:00 Werbung Ende",
        "Film zawiera lokowanie produktu\n\nZapraszam na kajaki",
        "本期视频与大家分享合作的快乐",
        "[광고] 오늘은 호수를 걸어요",
    ],
)
def test_own_things_contacts_credits_and_denials_are_no_sponsors(text: str) -> None:
    assert brands(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Werbung: Nein",
        "Produktplatzierung: Ja",
        "Anzeige: LED",
        "Publicidad: Perrin Alder",
        "Contains paid promotion: Yes",
        "Sponsor → Become one here",
        "12:40 Werbung Damals",
        "5:12 Pub - Night Life",
    ],
)
def test_a_word_behind_a_mark_alone_is_no_name(text: str) -> None:
    assert brands(text) == []


@pytest.mark.parametrize("work", ["BGM", "イラスト", "写真", "情報", "効果音", "翻訳", "字幕"])
def test_who_provides_what_credits_name_is_no_sponsor(work: str) -> None:
    assert brands(f"{work}提供：ゼルボラ") == []
    assert brands("提供：ゼルボラ") == ["ゼルボラ"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Unterstützt durch die Produktplatzierung von Quillbarrow", "Quillbarrow"),
        ("この動画はゼルボラのプロモーションを含みます", "ゼルボラ"),
        ("【ゼルボラ様提供】湖のまわりを歩く", "ゼルボラ"),
        ("هذا الفيديو برعاية شركة زلفورا", "زلفورا"),
        ("이 영상은 젤보라의 유료광고를 포함하고 있습니다", "젤보라"),
        ("이 영상은 젤보라 유료광고를 포함하고 있습니다", "젤보라"),
        ("Brentwickで使えるクーポンコード：LAKE35", "Brentwick"),
    ],
)
def test_words_of_the_statement_are_no_part_of_the_name(text: str, name: str) -> None:
    assert brands(text) == [name]


@pytest.mark.parametrize(
    "text",
    ["Dziękuję za wsparcie!", "Dziękujemy za wsparcie!", "Film powstał dzięki wsparciu patronów"],
)
def test_thanks_for_support_in_polish_name_nobody(text: str) -> None:
    assert brands(text) == []


def test_the_tag_of_a_partner_names_a_new_brand_in_a_text_marked_as_advertising() -> None:
    assert brands("A new lamp for the boat. #QuillbarrowPartner #ad") == ["Quillbarrow"]
    assert brands("A new lamp for the boat. #QuillbarrowPartner") == []
    assert brands("A new lamp for the boat. #EpicPartner #ad") == []
    assert brands("A new lamp for the boat. #sponsored by #quillbarrow") == ["quillbarrow"]


def test_a_chapter_marked_as_advertising_names_a_brand() -> None:
    assert brands("0:00 Jetty\n1:45 Quillbarrow (Sponsor)\n3:10 Mill") == ["Quillbarrow"]


@pytest.mark.parametrize(
    "text",
    [
        "This video was made in collaboration with Greenpeace.",
        "The farmers of Brindlewick made this film possible.",
        "Lakeside Diary x Grandpa Brindle: https://brindlecarves.com/a",
        "Lakeside Diary x Oxfam: https://oxfam.org/donate",
    ],
)
def test_charities_places_and_relatives_sponsor_no_video(text: str) -> None:
    assert detect("A day at the lake", text, channel_context("Lakeside Diary", [])) == ()


@pytest.mark.parametrize(
    "text",
    [
        "Brindlewick was the sponsor of last week's video. This one has none.",
        "Brindlewick was the sponsor last week.",
        "Brindlewick war der Sponsor der letzten Folge.",
        "Brindlewick fue el patrocinador del último vídeo.",
    ],
)
def test_the_sponsor_of_another_video_is_none_of_this_one(text: str) -> None:
    assert detect("A day at the lake", text, channel_context("Lakeside Diary", [])) == ()


def test_the_last_video_may_be_named_beside_todays_sponsor() -> None:
    text = "Thanks to our sponsor Brindlewick. The last video was fun."
    found = detect("A day at the lake", text, channel_context("Lakeside Diary", []))
    assert [detection.brand for detection in found] == ["Brindlewick"]


@pytest.mark.parametrize(
    "text",
    [
        "Un mot de notre sponsor : Quillbarrow",
        "Un saludo a nuestro sponsor: Quillbarrow",
        "Спонсор нашего пикника и термосумок — магазин «Quillbarrow»",
        "Партнёр выпуска — букмекерская компания Quillbarrow.",
        "Видео спонсирует Quillbarrow",
        "Our ride is powered by Quillbarrow.",
        "Sponsored by Quillbarrow Srl",
    ],
)
def test_a_sponsor_is_found_in_further_forms(text: str) -> None:
    assert brands(text) == ["Quillbarrow"]


@pytest.mark.parametrize(
    "text", ["Un-sponsored review of Quillbarrow", "Not sponsored by Quillbarrow"]
)
def test_what_is_not_sponsored_stays_so(text: str) -> None:
    assert brands(text) == []


def test_the_companies_that_keep_a_channel_going_are_listed_below_their_sentence() -> None:
    text = "My build, these companies keep the boat going -\nQuillbarrow (sails)\nBrindlewick (paint)\n\nMaps: paper"
    assert sorted(brands(text)) == ["Brindlewick", "Quillbarrow"]


def test_a_shop_that_is_named_beside_the_stated_sponsor_is_none() -> None:
    text = (
        "This video is a paid partnership with Quillbarrow - the palette is in Superdrug stores now"
    )
    assert brands(text) == ["Quillbarrow"]
