"""Codes without a word for one, beside what they give and where they are used."""

import pytest

from import_worker.detector import channel_context, detect

LAKESIDE = channel_context("Lakeside Diary", [])


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("10% off at Quillbarrow: XYQ10", "XYQ10"),
        ("XYQ10 for 10% off Quillbarrow", "XYQ10"),
        ("Use XYQ10 at quillbarrow.com", "XYQ10"),
        ("Kod XYQ10 daje 10% zniżki w sklepie Quillbarrow", "XYQ10"),
        ("Quillbarrow'te XYQ10 koduyla %10 indirim", "XYQ10"),
        ("code LAKE15 = 15% off @quillbarrow", "LAKE15"),
    ],
)
def test_a_code_beside_what_it_gives_is_for_the_shop_named_there(text: str, code: str) -> None:
    found = detect("A day at the lake", text, LAKESIDE)
    assert [(item.brand.lower(), item.code) for item in found] == [("quillbarrow", code)]


@pytest.mark.parametrize("heading", ["Discount codes:", "MY DISCOUNTS", "Rabattcodes:"])
@pytest.mark.parametrize("entry", ["Quillbarrow: BIRD15 {}", "- Quillbarrow – BIRD15 ({})"])
def test_an_entry_under_a_heading_for_codes_has_its_own(heading: str, entry: str) -> None:
    first = entry.format("https://quillbarrow.com")
    text = f"{heading}\n{first}\nMoosquell: code OWL20 https://moosquell.com"
    found = {item.brand: item.code for item in detect("A day at the lake", text, LAKESIDE)}
    assert found == {"Quillbarrow": "BIRD15", "Moosquell": "OWL20"}


@pytest.mark.parametrize(
    "text",
    [
        "The EOS R50 for 10% less weight than the Quillbarrow",
        "The RTX4090 for $1,600 at Quillbarrow is too much",
        "Use GPT4 at quillbarrow.com for fun",
        "ISO6400 for 10% less noise",
    ],
)
def test_numbers_of_products_are_no_codes(text: str) -> None:
    assert [item.code for item in detect("A day at the lake", text, LAKESIDE) if item.code] == []


def test_numbers_of_products_under_a_further_heading_are_no_codes() -> None:
    code = "Discount code OWL20 at Moosquell: https://moosquell.com"
    gear = "My gear:\nMic: SM57\nLens: RF50 https://osprell.com/rf50"
    found = detect("A day at the lake", f"{code}\n\n{gear}", LAKESIDE)
    assert [item.code for item in found] == ["OWL20"]


def brands(text: str) -> list[str]:
    return [item.brand for item in detect("A day at the lake", text, LAKESIDE)]


@pytest.mark.parametrize(
    "entry",
    [
        "Paddles: Quillbarrow, code LAKESIDE10",
        "• Quillbarrow dry bag in blue (code LAKESIDE makes it cheaper)",
        "• Quillbarrow rope clamp, small: LAKESIDE10",
        '• Quillbarrow tin mug "Heron" / LAKESIDE gives you 8% off',
        "Quillbarrow: LAKESIDE12 is 12 percent off in March",
        "Quillbarrow: LAKESIDE for a free hook",
        "QUILLBARROW – LAKESIDE10 SAVES 20%",
        "Quillbarrow lamps - LAKESIDE10, 10% off all week",
        "Quillbarrow (quillbarrow.com): code LAKESIDE",
    ],
)
def test_the_code_of_an_entry_is_for_the_name_in_it_and_not_for_the_next_ones(entry: str) -> None:
    text = f"A day out.\n\n• Timberland boots\n{entry}\n• Patagonia vest\n• Sony A7"
    assert [name.lower() for name in brands(text)] == ["quillbarrow"]


@pytest.mark.parametrize(
    ("entry", "brand"),
    [
        ("Paddles: Quillbarrow & Sons, code LAKESIDE10", "Quillbarrow & Sons"),
        ("Снасти: Крюк и Ко, промокод LAKESIDE7 — скидка 7%", "Крюк и Ко"),
        ("물고기밥 찌 - 코드 LAKESIDE 쓰면 5% 할인", "물고기밥"),
        ("・竿:釣具屋みさき「夜釣り」 クーポン【LAKESIDE10】で割引", "釣具屋みさき"),
    ],
)
def test_an_entry_names_its_brand_before_a_product_or_with_a_word_for_and(
    entry: str, brand: str
) -> None:
    assert brands(f"A day out.\n\n{entry}\nPatagonia") == [brand]


def test_a_code_is_read_again_behind_a_further_name_of_its_list() -> None:
    text = "Oars: Quillbarrow oars – LAKESIDE for 10%\nVarnish: Moss & Quell – LAKESIDE as well"
    assert brands(text) == ["Quillbarrow", "Moss & Quell"]


@pytest.mark.parametrize(
    "line",
    [
        "Our sailing hats – code LAKESIDE (from our own shop)",
        "De zeilmuts is van ons eigen merk (code LAKESIDE in de Quillwinkel)",
        "हमारी किताब – कोड LAKESIDE, 5% छूट",
        "모자: 저희 채널 굿즈 (코드 LAKESIDE, 5% 할인)",
        "Mein Uferkalender: Code LAKESIDE, 3 € Rabatt",
        "Recipe from Anna: Trout Soup, code LAKESIDE",
        "Song: Quillbarrow - LAKESIDE",
        "Lens: Quillbarrow Optics - 10% closer",
    ],
)
def test_own_things_and_things_that_no_shop_sells_give_a_code_to_nobody(line: str) -> None:
    assert brands(f"A day out.\n\n{line}\n• Patagonia vest\n• Sony A7") == []


def test_a_code_on_a_line_without_a_name_is_still_for_the_line_above() -> None:
    assert brands("Squarespace\nCode LAKESIDE for 10% off") == ["Squarespace"]


@pytest.mark.parametrize(
    "text",
    [
        "Our sails were cut at Quillbarrow. Say LAKESIDE at the desk and your first repair is free.",
        'I buy my rope at Quillbarrow. Just say "Lakeside Diary" and you get 10% off.',
        'Quillbarrow: only write "Lakeside" under your address, 5 euros less',
        "Rope → Quillbarrow! Tell them Lakeside Diary sent you for 5% off",
        "• sewn by Quillbarrow, mention Lakeside when you call, 10% off",
        'Das Seil ist von Quillbarrow, sagt einfach "Lakeside" an der Kasse und ihr spart 10%.',
        "La corde vient de chez Quillbarrow : dites « Lakeside » à la caisse, -10 %.",
        'La vela es de aquí. En Sevilla pregunten por Quillbarrow y digan "Lakeside": 5% de descuento.',
        'Passem na Quillbarrow e falem "Lakeside", 10% de desconto.',
        "Le vele sono di Quillbarrow: al banco dite «Lakeside», sconto del 5%.",
        'Linę kupuję u Quillbarrow, powiedzcie "Lakeside" i macie 10% taniej.',
        'Lano beru od Quillbarrow, řekněte "Lakeside" a máte slevu 10%.',
        'Köp repet hos Quillbarrow och säg "Lakeside" så får du 10% rabatt.',
        "Канаты: Quillbarrow, по слову LAKESIDE бонус для вас",
        "Верёвку беру у Quillbarrow. Скажите «Lakeside» и получите скидку 10%.",
        'Quillbarrow: telefonda "Lakeside" deyin, %5 indirim',
        'Layarnya dari toko di Quillbarrow, sebutkan "Lakeside" lewat telepon, diskon 5%',
        'Mua dây ở Quillbarrow, nói "Lakeside" được giảm 10%.',
        "De zeilen komen van Quillbarrow. De kortingscode LAKESIDE geeft daar 5% korting.",
        "Le cime le prendo da Quillbarrow, codice LAKESIDE per lo sconto del 5%.",
    ],
)
def test_a_word_that_is_said_to_a_shop_is_its_code(text: str) -> None:
    assert brands(text) == ["Quillbarrow"]


@pytest.mark.parametrize(
    ("text", "brand"),
    [
        ('・帆:帆布みなと 電話で"Lakeside"と伝えると割引', "帆布みなと"),
        ("돛은 '밧줄나라'에서 맞췄어요. 전화로 \"Lakeside\"라고 말하면 5% 할인", "밧줄나라"),
        ('这家绳索铺位于湖边,打电话报"Lakeside",打9折。', "绳索铺"),
        ('रस्सी वाला – फ़ोन पर "Lakeside" कहिए, 5% छूट', "रस्सी वाला"),
    ],
)
def test_a_word_is_said_to_a_shop_in_scripts_without_capitals(text: str, brand: str) -> None:
    assert brands(text) == [brand]


@pytest.mark.parametrize(
    "text",
    [
        'Comment "LAKESIDE" and I send you a free guide. The rope is from Quillbarrow.',
        'Write "Lakeside" in the chat for a free hook. The rope is from Quillbarrow.',
        'Say "hello" at Quillbarrow and they give you 10% off.',
        'I said "Lakeside" at Quillbarrow, nobody knew us.',
        'Wifi at Quillbarrow: "Lakeside", and the coffee is free',
        'اشتريت الحبل من السوق قولوا "Lakeside" وتحصلون على خصم 10%',
    ],
)
def test_a_word_for_comments_or_without_the_channels_name_is_no_code(text: str) -> None:
    assert brands(text) == []


def test_a_verb_before_a_code_is_no_brand() -> None:
    text = "There is a discount now: type LAKESIDE at the end and 5% goes off."
    assert brands(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Use code NORR10 for Norrwald and KETT15 for Kettlemoor for 10% off!",
        "Use code NORR10 at Norrwald and code KETT15 at Kettlemoor for a discount!",
        "Mit dem Code NORR10 bei Norrwald und KETT15 bei Kettlemoor spart ihr 10%!",
        "Code NORR10 sur Norrwald et KETT15 sur Kettlemoor : -10%",
        "Código NORR10 en Norrwald y KETT15 en Kettlemoor, 10% de descuento",
    ],
)
def test_each_code_of_a_sentence_belongs_to_its_own_shop(text: str) -> None:
    found = {item.brand: item.code for item in detect("A day", text, channel_context("Dan", []))}
    assert found == {"Norrwald": "NORR10", "Kettlemoor": "KETT15"}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Get your receipts on QUILLBARROW my code is PAMPENNY for a free bar", "PAMPENNY"),
        ("Vous êtes freelance ? Quillbarrow vous offre 2 mois avec le code LAC2.", "LAC2"),
        ("Quillbarrow schenkt euch 2 Monate mit dem Code SEE20", "SEE20"),
        ("Quillbarrow gives you 20% off with code LAKE20", "LAKE20"),
    ],
)
def test_who_gives_what_a_code_is_for_is_its_shop(text: str, code: str) -> None:
    found = detect("A day at the lake", text, channel_context("Pam", []))
    assert [(item.brand.lower(), item.code) for item in found] == [("quillbarrow", code)]


def test_the_initials_of_the_channel_are_its_code() -> None:
    text = "Vous êtes freelance ? Quillbarrow vous offre 2 mois avec TVBSP."
    found = detect("Un jour au lac", text, channel_context("Tout va bien se passer", []))
    assert [(item.brand, item.code) for item in found] == [("Quillbarrow", "TVBSP")]


def test_a_local_shop_is_not_the_creators_own() -> None:
    text = "Runner Gate Hobbies: MECHAMON for 10% off, paints from my local hobby shop"
    found = detect("Gunpla", text, channel_context("Mecha Mondays", []))
    assert [(item.brand, item.code) for item in found] == [("Runner Gate Hobbies", "MECHAMON")]
