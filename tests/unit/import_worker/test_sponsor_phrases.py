"""Ways of saying that a company paid, supplied a thing or gives a code: who is named becomes a candidate."""

import pytest

from import_worker.detector import ChannelContext, channel_context, detect
from import_worker.detector.directory import bundled_directory
from import_worker.detector.proposals import Proposed, propose_features

LAKESIDE = channel_context("Lakeside Diary", [])


def proposed(
    description: str, title: str = "A day at the lake", context: ChannelContext = LAKESIDE
) -> dict[str, Proposed]:
    proposals = propose_features(title, description, context, bundled_directory())
    return {item.candidate.found.name: item for item in proposals}


def kinds_of(item: Proposed) -> set[str]:
    return {claim.kind for claim, _ in item.candidate.claims}


@pytest.mark.parametrize(
    "text",
    [
        "Brindlewick made this walk possible.",
        "Brindlewick keeps the lights on around here.",
        "Brindlewick is paying for this episode, so thank them.",
        "Brindlewick picked up the bill for the boat.",
        "Brindlewick is back as our sponsor this autumn.",
        "Part two of the rowing series is brought to you by Brindlewick.",
        "A quick word from today's sponsor, Brindlewick.",
        "Brindlewick hat diese Wanderung möglich gemacht.",
        "Brindlewick sponsert die heutige Folge.",
        "Diese Folge wurde finanziert von Brindlewick.",
        "Brindlewick patrocina este episodio.",
        "Este episodio es posible gracias a Brindlewick.",
        "Brindlewick patrocina este vídeo do lago.",
        "Brindlewick sponsorise cette vidéo.",
        "Une vidéo rendue possible par Brindlewick.",
        "Brindlewick ha sponsorizzato questo video.",
        "Video reso possibile grazie a Brindlewick.",
        "Brindlewick maakt deze video mogelijk.",
        "Deze aflevering wordt gesponsord door Brindlewick.",
        "Ten odcinek sponsoruje firma Brindlewick.",
        "Partnerem odcinka jest Brindlewick.",
        "Этот выпуск спонсирует Brindlewick.",
        "Brindlewickさんの提供でお送りします。",
        "이 영상은 Brindlewick의 후원을 받아 만들었습니다.",
        "本期视频由Brindlewick赞助播出。",
        "Video này được tài trợ bởi Brindlewick.",
        "คลิปนี้สนับสนุนโดย Brindlewick",
        "Bu bölümün sponsoru Brindlewick!",
        "هذه الحلقة برعاية Brindlewick",
        "Aaj ke video ke sponsor hain Brindlewick.",
        "Video ini disponsori oleh Brindlewick.",
        "Hatid sa inyo ng Brindlewick ang video na ito.",
        "Sponzorem tohoto videa je Brindlewick.",
        "Dagens avsnitt sponsras av Brindlewick.",
        "El vídeo de hoy os lo trae Brindlewick.",
        "A videót a Brindlewick támogatta.",
        "Kiitos Brindlewick videon sponsoroinnista!",
    ],
)
def test_who_pays_for_a_video_becomes_a_candidate(text: str) -> None:
    assert "Brindlewick" in proposed(text)
    assert kinds_of(proposed(text)["Brindlewick"]) == {"paid_sponsorship"}


@pytest.mark.parametrize(
    "text",
    [
        "Brindlewick sent me this tent to try.",
        "Brindlewick were kind enough to lend us a canoe.",
        "The canoe is on loan from Brindlewick.",
        "Paddle: Brindlewick, supplied for the season",
        "Life vest: Brindlewick (gifted)",
        "Review unit from Brindlewick.",
        "Brindlewick hat mir das Zelt geschickt.",
        "Zelt: zur Verfügung gestellt von Brindlewick.",
        "Brindlewick nos ha prestado la canoa.",
        "La canoa nos la dejó Brindlewick.",
        "Brindlewick me mandou essa barraca.",
        "A barraca foi oferecida pela Brindlewick.",
        "Brindlewick nous a prêté le canoë.",
        "Le canoë est prêté par Brindlewick.",
        "Livre reçu des éditions Brindlewick.",
        "Roman reçu de la maison d'édition Brindlewick.",
        "Libro enviado por la editorial Brindlewick.",
        "Brindlewick mi ha mandato la tenda.",
        "Tenda gentilmente fornita da Brindlewick.",
        "Brindlewick heeft ons de kano uitgeleend.",
        "De tent kreeg ik niet cadeau maar is in bruikleen van Brindlewick.",
        "Namiot podesłała firma Brindlewick.",
        "Dzięki Brindlewick za wypożyczenie kajaka.",
        "Палатку прислала компания Brindlewick.",
        "Лодку на тест предоставил Brindlewick.",
        "テントはBrindlewickさんにお借りしました。",
        "텐트는 Brindlewick에서 보내주셨어요.",
        "帐篷是Brindlewick寄来的。",
        "Cảm ơn Brindlewick đã gửi tặng chiếc lều.",
        "ขอบคุณ Brindlewick ที่ให้ยืมเรือ",
        "Çadırı bize Brindlewick gönderdi.",
        "Terima kasih Brindlewick sudah kirim tendanya.",
        "Salamat sa Brindlewick na nagpahiram ng tolda.",
        "Brindlewick ne mujhe ye tent gift kiya.",
        "Stan nám zapůjčila firma Brindlewick.",
        "Tack till Brindlewick som skickade oss tältet.",
    ],
)
def test_who_supplied_a_thing_becomes_a_candidate(text: str) -> None:
    assert "Brindlewick" in proposed(text)
    assert "free_product" in kinds_of(proposed(text)["Brindlewick"])


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Brindlewick - LAKESIDE10", "LAKESIDE10"),
        ("LAKESIDE10 → Brindlewick, 10% off", "LAKESIDE10"),
        ("Brindlewick: 10% off with LAKESIDE", "LAKESIDE"),
        ("Brindlewick, 10 % Rabatt mit LAKESIDE", "LAKESIDE"),
        ("Brindlewick, 10% menos poniendo LAKESIDE10", "LAKESIDE10"),
        ("LAKESIDE10 sur Brindlewick (-10 %)", "LAKESIDE10"),
        ("Brindlewick – 10% zniżki z LAKESIDE10", "LAKESIDE10"),
        ("Brindlewick, pakai kode LAKESIDE10 diskon 10%", "LAKESIDE10"),
        ("Brindlewick, nhập mã LAKESIDE10 giảm 10%", "LAKESIDE10"),
        ("Brindlewick, kod LAKESIDE10 ile %10 indirim", "LAKESIDE10"),
        ("brindlewick, 10% off using lakesidediary10", "lakesidediary10"),
        ('Tents 10% off: Brindlewick, mention the word "HERON" when you call', "HERON"),
    ],
)
def test_a_code_without_a_link_belongs_to_the_name_beside_it(text: str, code: str) -> None:
    found = {name.lower(): item for name, item in proposed(text).items()}
    assert "brindlewick" in found
    claims = found["brindlewick"].candidate.claims
    assert {claim.code for claim, _ in claims if claim.code} == {code}


def test_each_code_of_a_list_belongs_to_its_own_brand() -> None:
    text = "My codes:\nBrindlewick - LAKESIDE10\nOakenpaddle - LAKESIDE20\nMuddlemoor - LAKESIDE5"
    codes = {
        name: claim.code
        for name, item in proposed(text).items()
        for claim, _ in item.candidate.claims
    }
    assert codes == {
        "Brindlewick": "LAKESIDE10",
        "Oakenpaddle": "LAKESIDE20",
        "Muddlemoor": "LAKESIDE5",
    }


def test_they_are_the_brand_that_the_sentence_before_names() -> None:
    text = 'The stove is from "Brindlewick". They are also the sponsor of this walk.'
    assert "Brindlewick" in proposed(text)


@pytest.mark.parametrize(
    "text",
    [
        "The paddles come from the firm Brindlewick, they lent us the canoe too.",
        "Die Paddel sind von Brindlewick, die haben uns auch das Boot geliehen.",
        "Le bateau est de Brindlewick, ils nous ont prêté les rames aussi.",
        "Die Paddel kommen von der Firma Brindlewick aus Kiel, die hat uns auch das Boot geliehen.",
        "De peddels zijn van Brindlewick uit Delft, die heeft ons ook de boot geleend.",
        "Wiosła są od Brindlewick, oni podesłali nam i mapy.",
        "Весло от Brindlewick, они подарили нам и карту.",
    ],
)
def test_they_who_gave_a_thing_are_the_brand_named_before(text: str) -> None:
    assert "Brindlewick" in proposed(text)


@pytest.mark.parametrize(
    "text",
    [
        "My mum sent me this scarf.",
        "She gave me the recipe.",
        "A friend lent me the canoe.",
        "This video is not made possible by Brindlewick.",
        "Dieses Video wurde nicht finanziert von Brindlewick.",
        "Made possible by the Ministry of Culture.",
        "Con el apoyo del Ayuntamiento de Soria.",
        "이 영상은 한국콘텐츠진흥원의 지원을 받아 제작되었습니다.",
        "Patreon keeps the lights on.",
        "My viewers made this trip possible.",
        "We row with LAKESIDE10 on the hull.",
        "Follow LAKESIDE on Instagram",
        "10% off my patterns with LAKESIDE10",
        "Mein Shop, mit LAKESIDE10 spart ihr 10%: lakesidediary.de",
        "Made possible by our wonderful Patreon supporters: Ridge Miller, Honey Brook",
        "Thank you to our sponsors on Patreon: Anna Miller, Ben Brook",
        "My sponsors this month on Ko-fi: Anna Miller, Ben Brook",
        "GitHub sponsors: annamiller, benbrook",
        "Sponsored by absolutely no one.",
        "The bill was sponsored by Senator Brindle.",
        "In 1998 the race was sponsored by Brindlewick.",
        "Back in the sixties it was sponsored by Brindlewick.",
        "@rowingclub was sponsored by Brindlewick.",
        "Get my own perfume: use code LAKE10 at https://moosquell.com",
        "My gym is called Brindlewick, 10% off with code LAKE https://brindlewick.com",
    ],
)
def test_people_public_bodies_negations_and_own_things_are_no_sponsors(text: str) -> None:
    assert detect("A day at the lake", text, LAKESIDE) == ()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (
            "Surfshark: 20% off with code LAKESIDE https://surfshark.com/lakeside",
            "paid_sponsorship",
        ),
        (
            "We rowed from the jetty to the old mill and back again, and on the way the heron that"
            " everybody asks about stood right there in the reeds, quite unimpressed by us.\n\n"
            "Surfshark: 20% off with code LAKESIDE https://surfshark.com/lakeside",
            "promo_code",
        ),
        (
            "We rowed from the jetty to the old mill.\n\nSurfshark, 20% off: https://surfshark.com/?ref=lakeside",
            "affiliate",
        ),
    ],
)
def test_the_kind_of_an_offer_follows_its_place_and_link(text: str, kind: str) -> None:
    found = {item.brand: item.kind for item in detect("A day at the lake", text, LAKESIDE)}
    assert found == {"Surfshark": kind}


@pytest.mark.parametrize(
    "text",
    [
        "Kit supplied by Brindlewick for review",
        "Stay courtesy of Brindlewick.",
        "Keyboard courtesy of Brindlewick",
        "Saddle courtesy: Brindlewick",
        "Stylist : Ann Miller Costume Courtesy : Brindlewick",
        "Stylist : Ann MillerCostume Courtesy : Brindlewick",
        "Mount loaned by Quillbarrow, telescope loaned by Brindlewick.",
        "Mount loaned by Quillbarrow, telescope on loan from Brindlewick.",
        "Wetsuit by Brindlewick (sponsored)",
        "Special thanks to Brindlewick for housing our shoot.",
        "Thanks to Brindlewick for hosting our film crew.",
        "Das Rad hat mir Brindlewick gestellt.",
        "Das Zelt wurde mir von Brindlewick zur Verfügung gestellt.",
        "Das Zelt wurde mir freundlicherweise von Brindlewick zur Verfügung gestellt.",
        "Kajak użyczony przez Brindlewick",
        "Namiot dzięki uprzejmości Brindlewick",
        "Loď zapůjčila firma Brindlewick.",
        "Abiti: per gentile concessione di Brindlewick",
        "Tenue prêtée par Brindlewick.",
        "Ropa cortesía de Brindlewick",
        "Kleding met dank aan Brindlewick",
        "De auto is ter beschikking gesteld door Brindlewick.",
        "Bilen har vi lånat av Brindlewick.",
        "Tak til Brindlewick for lån af bilen.",
        "Kiitos Brindlewick auton lainasta.",
        "Ευχαριστούμε την Brindlewick για την παραχώρηση του αυτοκινήτου.",
        "Mulțumim Brindlewick pentru mașina pusă la dispoziție.",
        "Дякуємо компанії Brindlewick за надане авто.",
        "Lokasi disediakan oleh Brindlewick",
        "कपड़े Brindlewick द्वारा दिए गए",
        "شكرا Brindlewick على توفير السيارة",
        "感谢Brindlewick提供的车辆",
        "Agencia que nos invitó: Brindlewick",
        "Tienda que me prestó la canoa: Brindlewick",
        "Loja que emprestou a canoa: Brindlewick",
        "Çadırı gönderen Brindlewick'e teşekkürler.",
        "Mekan için Brindlewick'e teşekkürler.",
        "Hvala Brindlewick na ustupljenoj lokaciji.",
        'Hvala salonu "Brindlewick" na ustupljenom automobilu.',
        "Благодарим магазин Brindlewick за предоставленную палатку.",
        "Спасибо компании Brindlewick за предоставление лодки.",
        "Спасибо компании Brindlewick и лично нашему другу Ивану за предоставление своего офиса.",
    ],
)
def test_who_supplied_the_thing_that_a_text_names_is_published(text: str) -> None:
    found = {item.brand: item.kind for item in detect("A day at the lake", text, LAKESIDE)}
    assert found.get("Brindlewick") == "free_product"
    assert set(found) <= {"Brindlewick", "Quillbarrow"}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("장소 협찬을 해주신 브린들윅 감사드립니다", "브린들윅"),
        ("장소 협찬을 해주신 강남 브린들윅(BRINDLE) 감사드립니다 :)", "브린들윅"),
        ("Благодарим салон бриндлвик моторс за предоставленный автомобиль", "Бриндлвик Моторс"),
        (
            "Special thanks to Brindle Interiors by Paul Quill for housing our shoot.",
            "Brindle Interiors by Paul Quill",
        ),
    ],
)
def test_a_company_thanked_for_what_it_supplied_has_its_whole_name(text: str, name: str) -> None:
    found = [(item.brand, item.kind) for item in detect("A day at the lake", text, LAKESIDE)]
    assert found == [(name, "free_product")]


@pytest.mark.parametrize(
    "text",
    [
        "I bought the tent from Brindlewick.",
        "Dress from Brindlewick",
        "Stay not courtesy of Brindlewick, I paid for it.",
        "Footage courtesy of Brindlewick.",
        "Courtesy of Brindlewick Records",
        "Thanks to Brindlewick (https://brindlewick.com) for letting me use the footage of the heron.",
        "Thanks to Brindlewick for letting me use their photos.",
        "Thanks to Brindlewick for providing the music.",
        "Danke an Brindlewick für das Zusenden der Bilder.",
        "Спасибо Brindlewick за предоставленное видео.",
        "Die Frage wurde mir von Peter gestellt.",
        "Zdjęcia dzięki uprzejmości Brindlewick",
        "Immagini per gentile concessione di Brindlewick",
        "Beelden met dank aan Brindlewick",
        "My dress by my sister (gifted)",
        "Dress by Anna Miller (gifted)",
        "Thanks to Anna Miller for hosting our shoot.",
        "Thanks to Sarah for lending me her boots.",
        "Merci à Julie pour le prêt de la tenue.",
        "Tak til Anna for lån af bilen.",
        "Дякуємо Олені за надане авто.",
        "Спасибо Ивану Петрову за предоставленный автомобиль.",
        "Bu soruyu gönderen Ahmet'e teşekkürler.",
        "Das Rad hat mir Peter geliehen.",
        "Das Rad hat mir gefallen, und das Zelt hat mir mein Vater geschenkt.",
        "A lovely evening at Brindlewick, thanks to the whole team there.",
        "Brindlewick wants more for the parts than the boat cost me.",
        "I paid Samsung a lot for the keys.",
        "The stay was more at Samsung for the car than for the boat.",
        "Porsche always asks for letting us drive.",
        "#noodles Like and subscribe (Thank you!) noodles [업체로부터 음식값을 후원받은 영상입니다]",
    ],
)
def test_bought_things_footage_and_persons_supply_nothing(text: str) -> None:
    assert detect("A day at the lake", text, LAKESIDE) == ()


@pytest.mark.parametrize(
    "text",
    [
        "Many THANKS to:\nBrindlewick: http://bit.ly/1LKxNRR\nPlease support them! They help make our videos possible.",
        "http://bit.ly/33IXQuE - Спасибо за поддержку Brindlewick",
        "In association with Brindlewick - https://brindlewick.com/",
        "Lakeside Diary x Brindlewick: https://bit.ly/2qMJb2x",
        "Brindlewick x Lakeside Diary (18+): https://bit.ly/2qMJb2x",
    ],
)
def test_who_stands_behind_a_link_with_thanks_or_the_channels_name_is_a_sponsor(text: str) -> None:
    found = [(item.brand, item.kind) for item in detect("A day at the lake", text, LAKESIDE)]
    assert found == [("Brindlewick", "paid_sponsorship")]


@pytest.mark.parametrize(
    "text",
    [
        "Many THANKS to:\nMy Patrons: https://patreon.com/lakeside\nThey help make our videos possible.",
        "http://bit.ly/33IXQuE - Спасибо за поддержку!",
        "Lakeside Diary x Brindlewick collection: https://bit.ly/2qMJb2x",
        "Quillbarrow x Brindlewick: https://bit.ly/2qMJb2x",
        "일시후원:국민은행 794001 정기후원:정기후원:https://www.brindle.com/give",
    ],
)
def test_supporters_films_collections_and_strangers_are_no_sponsors(text: str) -> None:
    assert detect("A day at the lake", text, LAKESIDE) == ()


@pytest.mark.parametrize(
    ("text", "brand", "code"),
    [
        (
            "Use my invite code, lakesidesam, and get a free ride up to $25: https://www.brindlewick.com/invite/lakesidesam",
            "Brindlewick",
            "lakesidesam",
        ),
        (
            "https://brindlewick.ru/s/eqGvhZ - FREE20 - твой промокод на 20 бесплатных открытий",
            "Brindlewick",
            "FREE20",
        ),
        ("Brindlewick: 'SAMCYA' for 30% Off ALL", "Brindlewick", "SAMCYA"),
    ],
)
def test_a_code_called_so_behind_it_or_quoted_for_a_discount_is_read(
    text: str, brand: str, code: str
) -> None:
    found = {item.brand: item.code for item in detect("A day at the lake", text, LAKESIDE)}
    assert found == {brand: code}


@pytest.mark.parametrize(
    "text",
    [
        "He said: 'NEVER' for 30% of the time. https://brindlewick.com",
        "The clean code, lakeside, and other stories. https://brindlewick.com",
    ],
)
def test_quoted_and_listed_words_are_no_codes(text: str) -> None:
    assert {item.code for item in detect("A day at the lake", text, LAKESIDE)} <= {None}


def test_a_code_is_for_the_shop_of_its_sentence_before_a_company_thanked_before() -> None:
    text = "Brindlewick lent us their table saw.\n10% off at Quillbarrow with my name at checkout: code LAKESIDE10"

    found = proposed(text)

    assert {claim.code for claim, _ in found["Quillbarrow"].candidate.claims} >= {"LAKESIDE10"}
    assert {claim.code for claim, _ in found["Brindlewick"].candidate.claims} == {None}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Sponsored by St. Brindle https://stbrindle.com/lake", "St. Brindle"),
        ("This walk is sponsored by Mt. Brindle Outfitters.", "Mt. Brindle Outfitters"),
        ("Bu videonun sponsoru Brindlewick'e teşekkürler.", "Brindlewick"),
        ("Bu videonun sponsoru Brindlewick'in yeni botu.", "Brindlewick"),
        # A plural is another name: the directory has a brand of that one.
        ("This video is sponsored by Blender.", "Blender"),
        ("협찬 Brindlewick", "Brindlewick"),
        ("اسپانسر: Brindlewick", "Brindlewick"),
        ("এই ভিডিওটির স্পনসর: Brindlewick", "Brindlewick"),
        ("სპონსორი: Brindlewick", "Brindlewick"),
        ("Հովանավոր՝ Brindlewick", "Brindlewick"),
        ("Werbung Brindlewick https://brindlewick.de/lake", "Brindlewick"),
    ],
)
def test_a_sponsor_has_its_whole_name_and_nothing_of_the_grammar(text: str, name: str) -> None:
    assert [item.brand for item in detect("A day at the lake", text, LAKESIDE)] == [name]


def test_a_common_word_in_a_title_marked_as_advertising_is_no_brand() -> None:
    assert detect("A new boat for the lake #werbung", "Lovely.", LAKESIDE) == ()


@pytest.mark.parametrize(
    "thanks",
    [
        "Danke an Brindlewick für diese Kooperation!",
        "Merci à Brindlewick pour cette collaboration.",
        "Gracias a Brindlewick por la colaboración.",
        "Obrigado Brindlewick pela parceria!",
        "Grazie a Brindlewick per la collaborazione.",
        "Thanks to Brindlewick for this collaboration!",
        "Dziękuję firmie Brindlewick za współpracę.",
    ],
)
def test_thanks_for_working_together_name_a_sponsor_by_its_link_and_no_person(thanks: str) -> None:
    linked = detect("A day at the lake", f"{thanks} https://brindlewick.com/lake", LAKESIDE)
    assert [item.domain for item in linked] == ["brindlewick.com"]
    person = thanks.replace("Brindlewick", "Ann Miller")
    profile = "https://instagram.com/annmiller"
    assert detect("A day at the lake", f"{person} {profile}", LAKESIDE) == ()


@pytest.mark.parametrize(("stars", "starred"), [("*", 1), ("**", 1), ("*****", 0), ("", 0)])
def test_stars_that_draw_a_line_mark_no_affiliate_link(stars: str, starred: int) -> None:
    text = f"Paddle: https://brindlewick.com/paddle?ref=7{stars}\n* affiliate link"
    assert proposed(text)["Brindlewick"].features["item:starred"] == starred


@pytest.mark.parametrize(
    ("text", "starred"),
    [
        ("*Paddle: https://brindlewick.com/paddle\nStars are affiliate links.", 1),
        ("* Paddle: https://brindlewick.com/paddle\n* affiliate links", 0),
        ("*Paddle: https://brindlewick.com/paddle\nThe stars are out.", 0),
        ("Paddle: https://brindlewick.com/paddle\n* Boat: https://tarnwick.com/a", 0),
    ],
)
def test_a_star_at_the_beginning_marks_an_entry_where_a_note_explains_it(
    text: str, starred: int
) -> None:
    assert proposed(text)["Brindlewick"].features["item:starred"] == starred
