"""Sponsors, codes and supplied products in each language that the detector reads."""

import pytest

from import_worker.detector import ChannelContext, Detection, detect

NO_ELICITATION = ChannelContext()


def found(description: str) -> dict[str, Detection]:
    return {item.brand: item for item in detect("A day at the lake", description, NO_ELICITATION)}


@pytest.mark.parametrize(
    "text",
    [
        "This episode is brought to you by Surfshark.",
        "A big thank you to Surfshark for sponsoring today's walk around the lake.",
        "Dieses Video wird gesponsert von Surfshark.",
        "Unser Sponsor: Surfshark, danke an das ganze Team.",
        "Werbung: Surfshark https://surfshark.com/see",
        "Une vidéo sponsorisée par Surfshark.",
        "Un grand merci à Surfshark d'avoir sponsorisé la promenade.",
        "Este video está patrocinado por Surfshark.",
        "Gracias a Surfshark por patrocinar nuestra excursión.",
        "Este vídeo é patrocinado pela Surfshark.",
        "Um oferecimento de Surfshark para todos os remadores.",
        "Puntata sponsorizzata da Surfshark",
        "Grazie a Surfshark per aver sponsorizzato la gita.",
        "Спонсор выпуска - Surfshark",
        "Спасибо Surfshark за спонсорство!",
        "湖の散歩です。\n提供：Surfshark",
        "この動画はSurfshark様の提供でお送りします。",
        "협찬: Surfshark",
        "이 영상은 Surfshark의 유료 광고를 포함하고 있습니다.",
        "Ye video ke sponsor hain Surfshark, dekhte rahiye.",
        "Surfshark ne is video ko sponsor kiya hai.",
    ],
)
def test_a_stated_sponsor_is_found_whatever_the_language(text: str) -> None:
    assert list(found(text)) == ["Surfshark"]
    assert found(text)["Surfshark"].kind == "paid_sponsorship"


@pytest.mark.parametrize(
    "text",
    [
        "Use code LAKESIDE for 15% off at https://surfshark.com",
        "Get 15% off Surfshark with the promo code LAKESIDE.",
        "Mit dem Code LAKESIDE spart ihr 15% bei Surfshark.",
        "15% Rabattcode bei Surfshark: LAKESIDE https://surfshark.com",
        "-15% avec le code LAKESIDE sur https://surfshark.com",
        "Code promo LAKESIDE chez Surfshark pour 15% de réduction",
        "Usa el código LAKESIDE y llévate 15% de descuento en Surfshark",
        "Código de descuento: LAKESIDE - https://surfshark.com",
        "Use o cupom LAKESIDE e ganhe 15% de desconto na Surfshark",
        "Cupom LAKESIDE com 15% no site https://surfshark.com",
        "Codice sconto LAKESIDE per il 15% su Surfshark",
        "Con il codice LAKESIDE hai il 15% di sconto: https://surfshark.com",
        "Промокод LAKESIDE на скидку 15% в Surfshark",
        "По промокоду LAKESIDE скидка 15%: https://surfshark.com",
        "Surfsharkが15%オフ クーポンコード: LAKESIDE https://surfshark.com",
        "クーポンコード「LAKESIDE」で15%割引 https://surfshark.com",
        "Surfshark 할인코드: LAKESIDE",
        "쿠폰 코드 LAKESIDE 입력하면 15% 할인 https://surfshark.com",
        "Mera code LAKESIDE use karo aur Surfshark par 15% off pao",
        "Coupon code LAKESIDE se Surfshark sasta milega dosto",
    ],
)
def test_a_creators_code_is_found_whatever_the_language(text: str) -> None:
    detection = found(text)["Surfshark"]
    assert detection.code == "LAKESIDE"
    assert "LAKESIDE" in detection.excerpt


@pytest.mark.parametrize(
    "text",
    [
        "Thanks to Garmin for sending me this unit to review.",
        "The watch was kindly provided by Garmin for this review.",
        "Das Gerät wurde uns zur Verfügung gestellt von Garmin.",
        "Danke an Garmin für die Bereitstellung der Uhr!",
        "Garmin로부터 제품을 제공받아 촬영한 영상입니다.",
        "Часы предоставлены компанией Garmin",
        "Merci à Garmin de nous avoir envoyé cette montre.",
        "Hvala Garmin na ustupljenom satu za snimanje.",
        "시계를 협찬을 해주신 Garmin 감사합니다",
    ],
)
def test_a_supplied_product_is_found_in_several_languages(text: str) -> None:
    assert found(text)["Garmin"].kind in {"free_product", "paid_sponsorship"}


@pytest.mark.parametrize(
    "text",
    [
        "This walk was not sponsored by Surfshark.",
        "No sponsors here, I pay for Surfshark myself.",
        "Dieses Video ist nicht gesponsert von Surfshark.",
        "Cette promenade n'est pas sponsorisée par Surfshark.",
        "Este video no está patrocinado por Surfshark.",
        "Este vídeo não é patrocinado pela Surfshark.",
        "Questo video non è sponsorizzato da Surfshark.",
        "Это не реклама Surfshark, честное слово.",
        "이 영상은 Surfshark의 유료 광고를 포함하지 않았습니다.",
        "この動画はSurfsharkの広告ではありません。",
        "Surfshark did not sponsor this walk.",
        "We are neither sponsored by nor affiliated with Surfshark.",
        "No part of this walk was sponsored by Surfshark.",
        "Den här filmen är inte sponsrad av Surfshark.",
        "Turen er ikke sponset av Surfshark.",
        "Denne tur er ikke sponsoreret af Surfshark.",
        "Deze wandeling is niet gesponsord door Surfshark.",
        "Ten film nie jest sponsorowany przez Surfshark.",
        "Tato vycházka není sponzorována firmou Surfshark.",
        "Acest film nu este sponsorizat de Surfshark.",
        "Ez a séta nem a Surfshark támogatásával készült.",
        "Ця прогулянка не спонсорована Surfshark.",
        "Η βόλτα δεν είναι χορηγία της Surfshark.",
        "הטיול אינו בחסות Surfshark.",
        "هذه النزهة ليست برعاية Surfshark.",
        "Bu gezi Surfshark sponsorluğunda değildir.",
        "Video jalan-jalan ini tidak disponsori oleh Surfshark.",
        "Video này không được tài trợ bởi Surfshark.",
        "คลิปนี้ไม่ได้รับการสนับสนุนโดย Surfshark",
        "यह सैर Surfshark द्वारा प्रायोजित नहीं है।",
        "本视频并非Surfshark赞助播出。",
        "本影片並非Surfshark贊助。",
        "Surfshark에서 협찬받지 않았습니다.",
    ],
)
def test_what_is_said_not_to_be_sponsored_is_left_alone(text: str) -> None:
    assert found(f"{text} https://surfshark.com/lake") == {}


@pytest.mark.parametrize(
    "text",
    [
        "Denne tur er nu sponsoreret af Surfshark.",
        "Tak til Surfshark for at sponsorere turen.",
        "Takk til Surfshark for å sponse turen.",
        "Deze wandeling wordt nu gesponsord door Surfshark.",
        "Im Mai gesponsert von Surfshark.",
        "Our first walk in Hindi, sponsored by Surfshark.",
        "Nie verpassen: gesponsert von Surfshark.",
        "Не забудьте: спонсор выпуска Surfshark.",
        "Dieses Video ist nicht von mir bezahlt, sondern gesponsert von Surfshark.",
        "Χορηγός του βίντεο: Surfshark",
    ],
)
def test_words_that_negate_in_another_language_or_another_part_of_the_sentence_do_not_count(
    text: str,
) -> None:
    assert list(found(text)) == ["Surfshark"]
