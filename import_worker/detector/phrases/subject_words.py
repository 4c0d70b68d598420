"""Words for what a link is about, in the languages of the labels: a channel's own works, or what companies sell.

A word stands for itself; one that ends in `*` for all that begin with it. Scripts without blanks are matched anywhere.
"""

from typing import Final, Literal

Subject = Literal[
    "works", "channel", "finance", "betting", "crypto", "software", "play", "food", "beauty", "fashion",
    "devices", "vehicles", "home", "health", "study", "travel", "services", "shopping", "terms", "buying",
]  # fmt: skip

SUBJECT_WORDS: Final[dict[Subject, str]] = {
    "works": """
        album* single song songs track tracks lyric* ep mixtape remix video videos clip clips audio stream streaming listen presave
        pre-save spotify itunes deezer soundcloud vinyl tour tours ticket* concert* gig gigs trailer* episode* season*
        series movie* film films match interview* playlist* podcast* article* story stories news newsletter blog* book
        books novel* ebook* comic* poster* calendar* lesson recipe* tutorial* tracklist soundtrack* score wallpaper* preset*
        documentary highlights livestream live exhibition
        folge folgen sendung* mediathek lied lieder buch bücher hörbuch termine tickets artikel rezept* doku* spielfilm
        épisode* chanson* écouter écoute tournée billets livre livres replay émission* recette* spectacle* disponible
        capítulo* episodio* canción canciones disco discos gira boletos entradas libro libros película* programa* noticias
        escucha escuchar receta* novela*
        episódio* música* ouça ouvir ingressos livro livros filme filmes novela* receita* notícias lançamento
        canzone canzoni biglietti libri puntata puntate ricetta
        альбом* трек* песн* клип* слуша* концерт* билет* книг* выпуск* сери* фильм* сериал* трейлер* плейлист* музык* эфир*
        рецепт* новост* статья подкаст* премьер* тур
        şarkı* bölüm* fragman* dizi film* albüm* bilet* kitap* haber*
        piosenk* odcinek odcinki książk* utw*
        lagu gaana gana full
        アルバム 楽曲 配信 再生リスト 予告 映画 番組 書籍 記事 新曲 原曲 歌詞 主題歌 ライブ 単行本 小説 漫画 見逃し 放送
        앨범 음원 뮤직비디오 재생목록 방송 드라마 예능 다시보기 풀버전 본방 영화 신곡 노래 라이브 예매 책
        专辑 專輯 歌曲 电影 電影 节目 節目 全集 完整版 电视剧 電視劇 新歌
        أغنية حلقة فيلم مسلسل ألبوم
        """,
    "channel": """
        channel* subscrib* join member* patreon donat* discord server merch* hoodie* t-shirt* tshirt* shirt* plush* giveaway* fan fanclub
        vlog vlogs website site homepage vote voting petition* support contact business inquir* booking management fanpage
        kanal kanäle zweitkanal abonn* mitglied* fanshop spend* shop
        chaîne* boutique* abonnez soutenir
        canal canales tienda suscr* miembro* apoya
        loja inscreva* membro* apoie canais
        canale iscri* negozio
        канал* подпи* мерч* группа паблик* телеграм* инстаграм* донат* вк сотруднич* чат
        abone sklep kanał*
        チャンネル 登録 グッズ メンバーシップ 公式 ファンクラブ サブチャンネル
        채널 구독 굿즈 멤버십 공식 홈페이지 팬클럽 후원
        频道 頻道 订阅 訂閱 会员 會員 粉丝
        قناة اشترك
        """,
    "finance": """
        bank* banking invest* broker* trade trader* trading stock* share shares etf etfs fund funds loan* credit insur* mortgage*
        card cards wallet* payment* pay savings finance* money account accounts demat tax taxes fintech forex
        konto depot aktie* börse versicher* kredit* girokonto sparplan* geld
        banque* bourse compte assurance* crédit carte
        banco* inversion* inversiones invertir cuenta cuentas tarjeta* seguro* préstamo* dinero
        conta contas cartão investimento* investir corretora* empréstimo* ações dinheiro pix
        conto azioni investiment* carta prestit*
        банк* инвест* акци* брокер* кредит* карт* вклад* счет счёт страхов* деньги торговл* трейд*
        hesap kredi banka yatırım
        証券 口座 投資 銀行 保険 株 カード
        증권 투자 은행 보험 카드 계좌 주식
        银行 銀行 投资 保险
        """,
    "betting": """
        bet bets betting sportsbook* casino* poker odds wager* bookmaker* fantasy freebet* lotter* jackpot* gambl* spins
        wett* wette* sportwetten
        pari paris parie* parier cote cotes
        apuesta* apostar casas cuotas
        aposta* bônus odd
        scommess* quote
        ставк* букмекер* фрибет* казино пари
        bahis* iddaa
        """,
    "crypto": """
        crypto* bitcoin* btc ethereum nft nfts blockchain token tokens exchange defi web3 coin coins ledger
        kryptow* cripto* крипт* биткоин* 仮想通貨 비트코인 코인
        """,
    "software": """
        app apps vpn antivirus software plugin* extension* hosting domain domains website-builder builder tool tools editor browser
        password* privacy cloud saas ai api platform* server* template* theme* download free-download
        webseite* programm* logiciel* navigateur application* aplicación aplicaciones aplicativo* applicazion*
        приложени* сервис* программ* браузер* впн хостинг платформ* uygulama* aplikac* ilova*
        アプリ ソフト サービス 앱 어플 어플리케이션 프로그램 应用 應用 下载 下載
        """,
    "play": """
        game games gaming gameplay rpg mmo play skins skin gems loot pvp battle battles clan guild android ios keys
        spiel spiele spielt jeu jeux joue jouez juego juegos juega jogo jogos joga jogue gioco giochi gioca
        игр* скин* кейс* oyun* gra gry ゲーム 게임 游戏 遊戲
        """,
    "food": """
        food* meal meals snack* protein* supplement* vitamin* creatine energy drink* coffee tea beer wine whisk* vodka rum gin water juice
        chocolate* restaurant* pizza burger* kitchen delivery recipe-box cereal*
        essen getränk* kaffee bier repas café bière comida* bebida* cerveza cerveja* cibo birra еда доставк* кофе напит* пив* пицц* энергетик*
        ドリンク コーヒー 食品 ビール 커피 음료 맥주 배달 치킨
        """,
    "beauty": """
        skin* serum* cream* shampoo* hair* lipstick* lip palette* makeup make-up cosmetic* mascara perfume* fragrance* cologne razor* shav* beauty
        lash lashes nail nails deodorant* grooming toothbrush*
        parfum* haut haare cheveux peau piel cabello perfume* cabelo pele pelle capelli
        косметик* крем* парфюм* волос* помад* 化粧品 美容 香水 화장품 향수 피부 립
        """,
    "fashion": """
        watch watches sunglasses glasses eyewear contacts shoe shoes sneaker* boots bag bags backpack* jewel* ring rings bracelet* necklace* clothing clothes
        dress dresses jacket* jeans leggings underwear socks apparel outfit*
        uhr uhren schuhe brille* kleid* mode montre* chaussures vêtements bijou* lunettes ropa zapatos reloj* gafas
        roupa* tênis relógio* óculos vestiti scarpe orologi* одежд* обув* часы очки кроссовки сумк*
        時計 服 靴 시계 신발 옷 가방 안경
        """,
    "devices": """
        laptop* phone* smartphone* tablet* monitor* keyboard* mouse headphone* earbuds earphones headset* speaker* microphone* mic camera* gimbal drone* printer*
        charger* cable* powerbank* tv ssd gpu pc console* controller* router* case cases
        handy kamera* bildschirm* téléphone* ordinateur* teléfono* celular* móvil* computador* telefon* смартфон* телефон* наушник* ноутбук* камер* монитор*
        スマホ イヤホン カメラ パソコン 휴대폰 스마트폰 이어폰 노트북 카메라
        """,
    "vehicles": """
        car cars auto* tire tires tyre* wheel wheels motor* oil bike bikes scooter* truck* dealer* garage parts exhaust detailing
        reifen fahrrad voiture* pneu* vélo coche* llantas carro* moto* гараж* шин* автомобил* машин* запчаст* 車 タイヤ 자동차 타이어
        """,
    "home": """
        chair* desk* mattress* pillow* bedding furniture vacuum* robot* lamp* light lights knife knives cookware sofa garden plants cleaning
        möbel matratze* meuble* matelas muebles colchón colchão móveis мебел* матрас* пылесос* 家具 枕 가구 침대 매트리스
        """,
    "health": """
        therap* counsel* mental sleep fitness gym workout* wellness diet weight clinic* dental doctor* cbd hearing medic* supplement* vitamin*
        gesund* santé salud saúde salute здоров* клиник* стоматолог* 健康 건강 병원
        """,
    "study": """
        course* class classes learn* school* academy universit* degree language* tutor* essay* homework lesson* skill* training bootcamp exam*
        kurs* lern* schule cours apprend* formation* curso* aprend* escuela* corso scuola курс* школ* обучен* университет* учеб*
        講座 英会話 学習 강의 학원 영어
        """,
    "travel": """
        hotel* flight* travel* trip trips airline* airbnb esim vacation* holiday* cruise* hostel* resort*
        reise* flug* urlaub voyage* vol vols hôtel* viaje* vuelo* viagem voo viaggio volo отел* авиабилет* путешеств* тур туры 旅行 ホテル 여행 호텔
        """,
    "services": """
        service* agency website* company companies solution* job jobs hiring career* freelanc* legal lawyer* print* studio* repair* moving delivery
        dienst* firma agence entreprise empresa* serviç* servicio* услуг* компани* ремонт* заказ* доставк*
        会社 株式会社 주식회사 업체 公司
        """,
    "shopping": """
        store* shop shops shopping buy order* purchase* cashback coupon* deal* sale sales discount* voucher* price* cheap*
        kauf* bestell* rabatt* gutschein* günstig* achet* promo* réduction* compra* comprar oferta* descuento* cupom cupón desconto* sconto
        купи* магазин* скидк* кэшбэк* промокод* акция товар* цен* satın indirim* 購入 通販 割引 クーポン 구매 할인 쿠폰 최저가 购买 優惠 优惠
        """,
    "terms": """
        18+ +18 21+ t&c t&cs t&c's terms conditions gambleaware begambleaware responsibly risk risks expires expire valid
        participating eligib* residents disclaimer suchtgefahr glücksspiel* neukunden gültig agb
        risque* comportent endettement jusqu'au majeur* modération valable vigente* válido* válida* términos condiciones
        responsabilidade responsabilidad moderação regulamento*
        реклама рекламодатель erid ооо инн оао ип действует действителен ограничен* подробност*
        期間限定 期間中 キャンペーン 注意 未成年 유료광고 유의사항 기간 이벤트 까지
        """,
    "buying": """
        get download* try sign register* claim grab install* start use visit head check discover explore open save earn win redeem enter
        hol holt lade lad sicher* teste* testen registrier* jetzt hier télécharg* profite* découvr* inscri* essaye* utilise*
        descarga* prueba* consigue* regístr* registra* usa aprovecha* baixe* acesse* cadastr* garanta* conheça* use
        scarica* prova* registrati usa скача* качай* регистр* попроб* получ* установ* переход* активир* используй* вводи*
        ダウンロード 登録はこちら 詳細 詳しく 다운로드 가입 신청 바로가기 확인
        """,
}
"""Two subjects may share a word: what counts is which ones stand together."""
