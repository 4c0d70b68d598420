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
        "• Quillbarrow dry bag in blue (code LAKESIDE saves you a bit)",
        "• Quillbarrow wool hat: LAKESIDE10",
        '• Quillbarrow big mug "Heron" / LAKESIDE for 15 off',
        "Quillbarrow: LAKESIDE12 takes 12 percent off",
        "Quillbarrow: LAKESIDE for a free hook",
        "QUILLBARROW – LAKESIDE10 FOR 20% OFF",
        "Quillbarrow jackets - LAKESIDE10 se 10% off",
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
        ("крючки: Крюк и Ко, мой промокод LAKESIDE7 (минус 7%)", "Крюк и Ко"),
        ("물고기밥 낚싯대 - 코드 LAKESIDE 입력 시 12% 할인", "물고기밥"),
        ("・糸:釣具屋つむじ「夜釣り」 クーポン【LAKESIDE10】で10%オフ", "釣具屋つむじ"),
    ],
)
def test_an_entry_names_its_brand_before_a_product_or_with_a_word_for_and(
    entry: str, brand: str
) -> None:
    assert brands(f"A day out.\n\n{entry}\nPatagonia") == [brand]


def test_a_code_is_read_again_behind_a_further_name_of_its_list() -> None:
    text = "Oars: Quillbarrow oars – LAKESIDE for 10%\nTea: Moss & Quell – LAKESIDE too"
    assert brands(text) == ["Quillbarrow", "Moss & Quell"]


@pytest.mark.parametrize(
    "line",
    [
        "Our hats – code LAKESIDE for 5 off (our own shop)",
        "Sailing hat: eigen merk, te vinden in de Quillwinkel (code LAKESIDE voor gratis verzending)",
        "👕 हमारी टी-शर्ट – कोड LAKESIDE से ₹100 कम",
        "앞치마: 저희 가게 굿즈 (코드 LAKESIDE, 2천 원 할인)",
        "Mein Seekalender 2030: mit dem Code LAKESIDE versandkostenfrei",
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
        "See the folks at Quillbarrow. Say LAKESIDE at the till and they'll knock a fiver off.",
        'I buy my rope at Quillbarrow. Just say "Lakeside Diary" and you get 10% off.',
        'Quillbarrow: just write "Lakeside" in the order note, you get 3 euros back',
        "Rope → Quillbarrow! Tell them Lakeside Diary sent you, they'll throw in a hook for free",
        "• made by Quillbarrow, mention Lakeside when you book and the hook is free!",
        'Das Seil ist von Quillbarrow, sagt einfach "Lakeside" an der Kasse und ihr spart 10%.',
        "La corde vient de chez Quillbarrow : dites « Lakeside » à la caisse, -10 %.",
        'Pasen por Quillbarrow en Sevilla y digan "vengo de Lakeside": 10% de descuento.',
        'Passem na Quillbarrow e falem "Lakeside", 10% de desconto.',
        "La corda è di Quillbarrow: dite «Lakeside» e vi tolgono il 10%.",
        'Linę kupuję u Quillbarrow, powiedzcie "Lakeside" i macie 10% taniej.',
        'Lano beru od Quillbarrow, řekněte "Lakeside" a máte slevu 10%.',
        'Köp repet hos Quillbarrow och säg "Lakeside" så får du 10% rabatt.',
        "верёвки: Quillbarrow, по слову LAKESIDE скидка 10%",
        "Верёвку беру у Quillbarrow. Скажите «Lakeside» и получите скидку 10%.",
        'Quillbarrow: kasada "Lakeside" deyin, %10 indirim',
        'Beli talinya di Quillbarrow, bilang aja "Lakeside" di kasir, diskon 10%!',
        'Mua dây ở Quillbarrow, nói "Lakeside" được giảm 10%.',
        "Mijn touw haal ik bij Quillbarrow. Met de kortingscode LAKESIDE krijg je daar 10%.",
        "Per le corde vado da Quillbarrow, col codice LAKESIDE avete il 12%.",
    ],
)
def test_a_word_that_is_said_to_a_shop_is_its_code(text: str) -> None:
    assert brands(text) == ["Quillbarrow"]


@pytest.mark.parametrize(
    ("text", "brand"),
    [
        ('・ロープ:縄屋つむじ 店頭で"Lakeside"と伝えると10%割引', "縄屋つむじ"),
        ("로프: '밧줄나라'에서 샀어요. 매장에서 \"Lakeside\"라고 하면 10% 할인", "밧줄나라"),
        ('那家绳索铺在桥东边,跟老板说"Lakeside",打9折。', "绳索铺"),
        ('रस्सी वाला – काउंटर पर "Lakeside" बोलिए, 10% छूट', "रस्सी वाला"),
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
    text = "They gave my viewers a discount: type LAKESIDE when you check out and 20% comes off."
    assert brands(text) == []
