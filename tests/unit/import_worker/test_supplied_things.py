"""Supplied things: notes of kit lists, loans and gifts without a link, and what persons and societies lend."""

import pytest

from import_worker.detector import channel_context, detect

LAKESIDE = channel_context("Lakeside Diary", [])


def brands(text: str) -> list[str]:
    return [item.brand for item in detect("A day at the lake", text, LAKESIDE)]


@pytest.mark.parametrize(
    ("text", "brand"),
    [
        ("Paddle: Zelvora, supplied for the summer", "Zelvora"),
        ("Paddle: Zelvora Ripple 2/4, supplied for the summer", "Zelvora"),
        ("Stove: La Zelvora, gifted last year", "La Zelvora"),
        ('Kocher: Zelvora Zelte "Alma 3" (leihweise zur Verfügung gestellt)', "Zelvora Zelte"),
        ("Kocher: Zelvora Zelte 3 (kostenlos gestellt)", "Zelvora Zelte"),
        ("Chalk: Zelvora Wax (they send us a bag each spring)", "Zelvora Wax"),
        ("Jacke: von Zelvora gestellt", "Zelvora"),
        ("De laarzen van de kinderen zijn van Zelvora (gekregen).", "Zelvora"),
        ("Teh: dikirim gratis oleh Zelvora, habis dalam sehari", "Zelvora"),
        ("Las botas son las Zelvora Mira, cedidas por la marca.", "Zelvora"),
        ("衣装提供：ひめの糸", "ひめの糸"),
    ],
)
def test_a_note_of_a_kit_list_names_who_supplied_the_thing(text: str, brand: str) -> None:
    assert brands(text) == [brand]


@pytest.mark.parametrize(
    ("text", "brand"),
    [
        ("The canoe stand you see in this video is on loan from Zelvora until May.", "Zelvora"),
        ("Two nights in Lund hosted by Hotel Zelvora.", "Hotel Zelvora"),
        ("Review copy for this video was provided by Zelvora Interactive.", "Zelvora Interactive"),
        ("La nappe m'a été offerte par Maison Zelvora.", "Maison Zelvora"),
        ("Le local nous a été prêté par Le Zelvora Rouge à Lille.", "Le Zelvora Rouge"),
        ("Cerámica Zelvora nos cedió el horno dos noches.", "Cerámica Zelvora"),
        ("E o forno a Cerâmica Zelvora emprestou pra gente hoje.", "Cerâmica Zelvora"),
        ("Il pranzo è stato offerto da Agriturismo Zelvora.", "Agriturismo Zelvora"),
        ("Farbę dostaliśmy od firmy Zelvora.", "Zelvora"),
        ("Łódkę użyczyła nam bezpłatnie wypożyczalnia Zelvora z Gdyni.", "Zelvora"),
        ("숙소는 스테이 젤보라에서 무료로 제공해 주셨습니다.", "스테이 젤보라"),
        ("Ye kayak humein Zelvora Sports ne try karne ke liye free mein bheja hai.", "Zelvora Sports"),
        ("Ấm trà trong video do Gốm Zelvora gửi tặng tụi mình.", "Gốm Zelvora"),
    ],
)  # fmt: skip
def test_who_lent_or_gave_a_thing_in_a_sentence_needs_no_link(text: str, brand: str) -> None:
    assert brands(text) == [brand]


@pytest.mark.parametrize(
    "text",
    [
        "Paddle: lent by Big Tony from next door",
        "Paddle: lent by Zelvo next door",
        "Paddle: lent by Captain Zelvo",
        "Canoe: donated by Martin",
        "Hat: loaned by Zelvo, our costume designer",
        "Thanks to my sponsors: Mum (snacks), Dad (driving), Uncle Martin (jokes)",
        "Paddle: bought at Zelvora",
        "Den Anhänger hat uns Onkel Kurt geliehen.",
        "Big thank you to the Zelvora Rowing Society for the loan of a paddle.",
        "Le musée Zelvora nous a prêté ce canoë.",
        "In this video you see a sheet provided by Zelvora and how to read it.",
        "Photos: Leila B. Thanks to Zelvora pool for letting us in early.",
        "Imágenes: cedidas por Zelvora Norte.",
        "Películas antiguas: cedidas por la Filmoteca de Zelvora.",
        "Music for this video was provided by Zelvora.",
        "El vídeo lo enviaron los Zelvora Mira.",
        "A viewer from Zelvora sent me a paddle.",
    ],
)
def test_neighbours_societies_purchases_and_footage_supply_nothing(text: str) -> None:
    assert brands(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Paddles lent by Sheriff Brindle.",
        "Paddles on loan from Nana Brindle.",
        "Canoa emprestada pela Tia Brindle.",
        "Das Boot hat uns Familie Brindle überlassen.",
        "Cảm ơn anh Brindle đã cho mượn xe.",
        "Mekan için Brindle Bey teşekkürler.",
    ],
)
def test_a_title_or_a_relatives_word_beside_a_name_makes_a_person(text: str) -> None:
    assert detect("A day at the lake", text, channel_context("Lakeside Diary", [])) == ()


@pytest.mark.parametrize(
    "text",
    [
        "Mat - Exped (kindly supplied by Quillbarrow for this trip)",
        "Beers this episode courtesy of Quillbarrow! Cheers.",
        "Die Spannzange wurde mir von der Quillbarrow GmbH kostenfrei überlassen",
        "Danke an Motorradhaus Quillbarrow für die Leihmaschine",
        "O drone foi emprestado pela Quillbarrow.",
        "Палатку дали на тест ребята из «Quillbarrow»",
        "Merci à Quillbarrow d'avoir prêté le camion",
        "Das Ticket im Schlafwagen hat Quillbarrow übernommen",
    ],
)
def test_who_supplied_a_thing_is_found_in_further_forms(text: str) -> None:
    found = detect("A day at the lake", text, channel_context("Lakeside Diary", []))
    assert [(item.brand.removeprefix("Motorradhaus "), item.kind) for item in found] == [
        ("Quillbarrow", "free_product")
    ]


def test_a_host_is_no_supplier() -> None:
    text = "Thanks to Patchwork and Quillbarrow hotel for the hospitality."
    assert detect("A day at the lake", text, channel_context("Lakeside Diary", [])) == ()
