"""Verbs that call viewers to act, in further languages: each is the beginning of its forms."""

from typing import Final

CALLS: Final = (
    # Turkish, Azerbaijani, Uzbek
    r"indir(?:in|iniz)?\b|dene\b|deneyin|keşfet|kaydol|üye ol|kazanın|satın al|sipariş|tıkla|başvur|yükle|abone ol\b|endir|qeydiyyat|yuklab|ko'chirib"
    # Polish, Czech, Slovak
    r"|pobierz|sprawdź|odbierz|zamów|zarejestruj|wypróbuj|dołącz|kliknij|zagraj|załóż|kupuj|stáhn|vyzkouš|objedn|zaregistr|získej|stiahn|vyskúš"
    # Dutch, Swedish, Norwegian, Danish, Finnish
    r"|probeer|bestel|koop\b|bekijk|ontdek|meld je|schrijf je in|vraag aan|ladda ner|prova\b|beställ|köp\b|registrera|skaffa|last ned|prøv|kjøp|bestill|køb|hent\b|lataa|kokeile|tilaa|osta\b|liity"
    # Indonesian, Malay, Filipino, Vietnamese
    r"|unduh|coba\b|cobain|beli\b|daftar|dapatkan|kunjungi|mainkan|muat turun|dapatkan|i-download|mag-download|mag-register|bilhin|tải\b|dùng thử|mua\b|đăng ký|nhận\b|truy cập|đặt mua"
    # Hungarian, Romanian, Croatian, Serbian, Greek
    r"|töltsd|próbáld|rendeld|regisztrálj|descarc|încear|comand[aă]\b|înregistr|preuzm|isprobaj|naruči|registruj|registriraj|κατέβασ|δοκίμασ|αγόρασ|παράγγειλ|εγγραφ"
    # Ukrainian, Belarusian, Bulgarian, Kazakh
    r"|завантаж|спробуй|купуй|замов|зареєстр|скористай|отрим|спампуй|изтегл|опитай|поръч|жүктеп|тірке"
    # Arabic, Persian, Hindi, Bengali
    r"|حمّ?ل|جرّ?ب|اشترك|سجّ?ل|اطلب|اشتري?|احصل|دانلود|ثبت نام|डाउनलोड|इंस्टॉल|खरीद|आज़मा|रजिस्टर|पाएँ|ডাউনলোড"
)

UNSPACED_CALLS: Final = (
    # Thai, Chinese, Japanese, Korean
    r"ดาวน์โหลด|โหลดเลย|สมัคร|ลองเลย|สั่งซื้อ|คลิก|กดรับ|下载|下載|注册|註冊|点击|點擊|领取|領取|打开|打開|购买|購買|预约|預約|试用|試用|体验|體驗"
    r"|無料体験|申し込|予約|応募|お試し|はこちら|설치|가입|신청|받으세요|받아보세요|깔고|클릭|예약|체험|구경하기"
)
