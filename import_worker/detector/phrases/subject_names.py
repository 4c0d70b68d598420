"""Words at the start of a sentence that are no company's name, though they are capitalised and its verb follows."""

import re
from typing import Final

LEADS: Final = re.compile(
    r"(?:and|but|so|also|then|today|yesterday|recently|luckily|thankfully|fortunately|because|when|while|after|before|huge|big|special|special thanks|the|our|my|both|plus|as|thanks|thank you|to|shoutout"
    r"|und|aber|auch|heute|die|der|das|firma|von|vom|danke|dank|wie|weil|als|außerdem"
    r"|y|pero|hoy|la|el|los|las|gracias|a|marca|empresa|al|obrigad[oa]|o|os|as|e|mas|hoje|pessoal|à|ao"
    r"|et|mais|merci|le|les|aujourd'hui|aux?|société|marque|à"
    r"|il|lo|gli|i|oggi|grazie|ad|ma|ed"
    r"|de|het|en|maar|bedankt|ook|firma's"
    r"|i|dzisiaj|firma|marka|sklep|dzięki|a|ale"
    r"|и|а|но|компания|фирма|магазин|бренд|спасибо|сегодня"
    r"|bu|ve|ama|och|men|tack|dan|terima kasih|salamat|sa|si|ang)\s(?=\S)",
    re.IGNORECASE,
)
"""What may lead to the name: conjunctions, articles and words for a company."""


def is_lead(name: str) -> bool:
    """Return whether words are no more than what leads to a name, such as an article."""
    lead = LEADS.match(f"{name} .")
    return lead is not None and lead.end() > len(name)


_WORK: Final = "видео|выпуск|ролик|канал|проект|стрим|эфир|відео|випуск|odcinek|bölüm|video|vídeo|episode|folge"

WORK: Final = re.compile(rf"(?:{_WORK})", re.IGNORECASE)
"""Words for a video, which sponsors do not have as a name."""

NO_COMPANY: Final = re.compile(
    rf"(?:{_WORK})\b(?=\s*$|\s)"
    r"|(?:he|she|they|it|we|i|you|who|which|that|this|these|those|there|someone|somebody|everyone|everybody|nobody|no one|people|mom|mum|dad|mama|papa"
    r"|grandma|grandpa|santa|god|jesus|viewers?|fans?|friends?|subscribers?|patrons?|members?|chat|guys|life|nature|universe|er|sie|es|wir|ich|ihr|oma|opa"
    r"|il|elle|ils|elles|on|nous|vous|ça|cela|maman|lei|lui|loro|nonna|nonno|él|ella|ellos|ellas|usted|ustedes|abuela|abuelo|papá|mamá|ele|ela|eles|elas|você|vocês"
    r"|mãe|pai|vovó|deus|dios|dieu|gott|hij|zij|ze|wij|ik|on|ona|oni|one|my|mama|tata|он|она|они|мы|я|вы|мама|папа|бабушка|друг|друзья|подписчик\w*"
    r"|ben|sen|biz|siz|onlar|annem|babam|dia|mereka|kami|kita|saya|aku|siya|sila|kami|tayo|mẹ|ba|bố|mình|tớ|bạn"
    r"|youtube|instagram|facebook|twitter|tiktok|twitch|discord|patreon|spotify|pinterest|telegram|whatsapp|snapchat|threads|linkedin|kwai|strava|e-?mail|mail|contact|contato|contacto|kontakt|business|insta|ig|fb|tt|yt|site|website|web|blog|canal|channel|music|musik|m[uú]sica|part|episode|season|chapter|day|tag|video|monday|tuesday|wednesday|thursday|friday|saturday|sunday"
    r"|january|february|march|april|may|june|july|august|september|october|november|december|christmas|easter)\b(?:'s)?(?=\s*$|\s)"
    r"|(?:友達|友人|母|父|祖母|視聴者|リスナー|ファン|妹|弟|姉|兄|彼女|彼|皆|みな|みんな|家族|嫁|旦那|夫|妻|先生|知人|先輩|後輩|お客|친구|엄마|아빠|구독자|시청자|팬|동생|언니|오빠|누나|형|할머니|남편|와이프|이웃|지인|선배|후배|어머니|아버지|어머|아버|어떤|여러|브랜드사|브랜드|업체|회사|제조사|소속사|광고주|협찬사"
    r"|朋友|妈妈|媽媽|爸爸|粉丝|粉絲|观众|觀眾|網友|网友|同事|老師|老师|阿姨|奶奶|爷爷|爺爺|女友|男友|老婆|老公|他|她|它|我|你|大家|有人|谁|誰|別人|别人|厂商|廠商|品牌方|品牌|公司|メーカー|企業|会社|こちら|素材|動画)",
    re.IGNORECASE,
)
"""People, pronouns, platforms and times that give, send and help without being a sponsor."""
