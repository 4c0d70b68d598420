"""Words around the name of a brand in the label of a link."""

import re
from typing import Final

SOLD: Final = frozenset(
    """
    app apps trial shop store website site link links discount code codes coupon promo deal sale offer free page online
    bikes bike pedals tires tyres wheels seatposts helmets helmet gear products product subscription membership account
    channel kanal gutschein rabatt rabattcode shirts clothing apparel official music headset headphones knives
    download ios android windows mac steam instagram facebook twitter affiliate partner partnerlink amazon
    bonus bônus bono cashback aplikasi uygulama uygulaması приложение сайт сервис промокод купон
    """.split()
)
"""What is sold or linked: no part of a name when it stands at the end."""

NO_NAMES: Final = frozenset(
    """
    use get check click go try download shop buy order visit follow join save sign watch support learn play see find grab
    head my our the this these here link links new free for and with code discount promo instagram facebook twitter
    youtube tiktok discord twitch patreon paypal telegram whatsapp website email contact business music song intro outro
    camera video videos channel subscribe listen stream spotify itunes amazon app ios android google apple pc steam part
    episode full part official press more info thanks thank special also all how what why when where who if in on at to
    from by of is are it you we i me us your
    mein meine hier zum zur und der die das mit für jetzt alle unser unsere auf bei
    le la les un une mon ma mes nos notre et sur avec pour ici lien code tous voici retrouvez découvrez profitez
    o a os as um uma meu minha meus nosso use cupom link canal compre baixe acesse el los las mi mis tu usa descarga
    покупай покупайте заказывайте заказывай скачать скачай установите установи промокод по ссылка подписывайся узнай
    начни играть слушайте спасибо благодарим
    installiere installiert lade ladet teste testet sichere danke off recommend recommended install enjoy
    закажи закажите запишись записывайся открывай открывайте купи купите регистрируйся зарегистрируйся получай
    попробуй попробуйте играй играйте подключай переходи забирай активируй скачивай скачивайте смотри смотрите
    télécharge téléchargez essaie essayez commande rejoins conheça garanta aproveite cadastre descárgate prueba consigue regístrate
    scarica scopri iscriviti registrati hol holt entdecke bestelle nutze registriere indir
    """.split()
)
"""Words that begin no brand's name, though they are capitalised in labels."""

LEADING_VERBS: Final = frozenset(
    """
    use get check try download shop buy order visit join play grab off recommend recommended install enjoy thanks
    installiere installiert lade ladet teste testet sichere danke use compre baixe acesse descarga
    покупай покупайте заказывайте заказывай скачать скачай установите установи играть слушайте спасибо благодарим
    out over open start discover explore claim book hire switch learn protect secure check download sign register support
    hol holt probier probiert entdecke bestelle kaufe spare nutze registriere starte eröffne jetzt
    télécharge téléchargez découvre découvrez essaie essayez profite profitez commande commandez rejoins rejoignez parie joue
    conheça garanta aproveite cadastre assine abra jogue peça
    descárgate descárgalo prueba consigue aprovecha regístrate abre pide juega conoce entra
    scarica prova scopri iscriviti registrati acquista gioca
    закажи закажите запишись записывайся открой открывай открывайте купи купите регистрируйся зарегистрируйся получи получай
    попробуй попробуйте играй играйте выиграй подключи подключай переходи забирай забери активируй скачивай скачивайте смотри
    indir dene kaydol al
    """.split()
)
"""Those of them that stand right before a brand's name and are none of it."""

SECTION_STARTS: Final = frozenset(
    """
    my our your the this that all how what why when who chaîne chaine канал группа link links lien liens watch subscribe
    follow music song visita produced directed
    """.split()
)
"""First words of labels that tell of the creator's own or of the video."""

BEFORE_NAME: Final = re.compile(
    r"(?:\bd'|\bc'est\s+|(?:\b(?:at|from|by|with|on|via|bei|von|mit|auf|für|chez|sur|avec|de|en|com|na|no|da|do|con|di|su|from our friends at"
    r"|приложени[ея]|игр[ауые]|сервис\w?|магазин\w?|сайте?|в|на|от|через|курс\w?"
    r"|platform|software|app|game|jeu|spiel|jogo|juego|monitor|монитор|кроссовки|телефон|смартфон|товары"
    r"|new|новы[ейхя]+|neue[snr]?)\s+[\"'(@#]?))",
    re.IGNORECASE,
)
"""Prepositions and kinds of things that a brand's name follows."""
