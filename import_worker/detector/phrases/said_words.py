"""Verbs that have viewers say or write a word in quotes to a shop, and the words around the shop's name."""

import re
from typing import Final

_FEW: Final = r"(?: \w+){0,3}[,:]? ?"

SAID_BEFORE: Final = re.compile(
    r"(?:\b(?:say|saying|mention|mentioning|write|writing|quote|tell|telling)"
    + _FEW
    + r"|\b(?:sagt?|sagen|erwähnt?|nennt?|schreibt?)"
    + _FEW
    + r"|\b(?:dites|dis|dire|disant|mentionnez|mentionne|écrivez|écris)"
    + _FEW
    + r"|\b(?:digan|diga|dile|diles|díganle|díganles|decid|diciendo|mencionen|mencionad|menciona|escriban|escribe|escribid)"
    + _FEW
    + r"|\b(?:digam|dizendo|fala|fale|falem|falando|mencione|mencionem|escreva|escrevam)"
    + _FEW
    + r"|\b(?:dite|ditegli|digli|dicendo|scrivete|scrivi|nominate|menzionate)"
    + _FEW
    + r"|\b(?:zeg|zegt|noem|vermeld|schrijf)"
    + _FEW
    + r"|\b(?:powiedz|powiedzcie|podaj|podajcie|napisz|napiszcie|řekněte|řekni|nahlaste|nahlas|napište|napiš|povedzte|povedz)"
    + _FEW
    + r"|(?<![а-яё])(?:скажите|скажи|сказать|назовите|назови|напишите|напиши|скажіть|назвіть|напишіть)(?: [а-яёіїє]+){0,3}[,:]? ?"
    + r"|\b(?:säg|sig|si|nämn|nævn|nevn|skriv|sano|sanokaa|mainitse|mainitkaa|spuneți|spune|scrieți|πείτε|πες|γράψτε)"
    + _FEW
    + r"|\b(?:bilang|sebut|sebutin|sebutkan|tulis|tulisin|sabihin|sabihan|banggitin|nói|đọc|nhắn)"
    + _FEW
    + r"|(?:说|說|报|報|备注|備註|喊)(?:一声|一聲|一句|暗号|暗號)?:?"
    + r"|(?:บอก|แจ้ง|พิมพ์)(?:ว่า|คำว่า|ร้านว่า|พนักงานว่า)? ?"
    + r"|(?:قولوا|قول|قل|اكتبوا|اكتب|اذكروا|اذكر)(?: [^\s\"]+){0,3} )\"$"
)
"""A verb before the word, up to its first quote."""

SAID_BEHIND: Final = re.compile(
    r"\" ?(?:yazın|yazıp|yazınca|yazarsanız|yazmanız|diyin|deyin|derseniz|demeniz|diyerek|söyleyin|söylerseniz"
    r"|bol(?:o|iye|na|iyega| do)\b|kehna\b|kaho\b|kahiye\b|likho\b|likhna\b|बोलिए|बोलो|बोलना|बोलें|बोल दो|कहिए|कहो|कहना|कहें|बताइए|लिखिए|लिखें"
    r"|(?:이라고|라고) ?(?:하면|하시면|말하면|말하시면|말씀하|얘기하|적으면|적어)|(?:을|를)? ?(?:입력하면|입력하시면|입력 ?시)"
    r"|と(?:言う|言え|言っ|伝え|お伝え|書い|記入|お申し付け|おっしゃ))"
)
"""A verb behind the word, from its last quote on."""

SAID_UNQUOTED: Final = re.compile(
    r"(?<![а-яё])(?:по|со) (?:кодовому |секретному )?слов(?:у|ом) \"?(?P<word>[а-яёa-z\d]{3,20})"
)
"""The same with a word that needs no quotes."""

NOT_TO_SHOP: Final = re.compile(
    r"\bcomments?\b|\bchat\b|\bdms?\b|\bkommentar\w*|\bcommentaires?\b|\bcomentarios?\b|\bcomentários?\b|\bcommenti\b|коммент|\byorum|\bkomen|コメント|댓글|评论|評論|弹幕"
    r"|\bdiscord\b|\btelegram\b|\bwhatsapp\b|\bwi-?fi\b|\bwlan\b"
)
"""Where a word is written that is for no shop."""

AT_SHOP: Final = re.compile(
    r"(?<!\w)(?:at|from|by|see|visit|with|bei|beim|zu|zum|zur|von|vom|chez|con|por|da|dal|dalla|bij|van|naar|u|od|hos|på|från|fra|у|от|из|kay|tại|ở|στο|στη|στον|firma|firmy"
    r"|магазин\w{0,2}|мастерск\w{2,3}|кафе|(?P<weak>en|em|na|no|de|di|w|v|do|в|к|ke|sa|nel|nella|în))(?: the)?\s(?=[\"A-ZÀ-ÞА-ЯЁĀ-Ž])"
)
"""Words right before the name of a shop; behind a `weak` one stands a town as often."""

PLACED_SHOP: Final = re.compile(
    r"['\"](?P<quoted>[^'\"\n]{2,20})['\"] ?(?:에서|매장|에게|で|さん|にて)|(?:那家|这家|這家|那間|這間)\"?(?P<house>[\u3400-\u9fff]{2,8}?)\"?(?=在|,|的|位于|位於|就|买|買|吃)"
)
"""A shop's name in quotes with a word for its place, or behind "that shop", in scripts without capitals."""

THERE: Final = re.compile(
    r"\b(?:there|they|them|their|dort|denen|là-bas|chez eux|allí|ahí|lì|loro|daar|tam|där|orada|di sana|ở đó)\b|(?<![а-яё])(?:там|у них)(?![а-яё])|そこで|거기|那里|那裡"
)
"""Words for the shop of the sentence before."""
