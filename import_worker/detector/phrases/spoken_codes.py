"""Promo codes without a word for "code": verbs that one is used with, and discounts for who names the channel."""

import re
from typing import Final

CODE_VERB: Final = re.compile(
    r"(?:\b(?:us(?:e|ing)|with|enter(?:ing)?|type|typing|apply(?:ing)?|quot(?:e|ing)|mention(?:ing)?|add|put in|pop in|via|under"
    r"|poniendo|poned|usando|usad|usen|usáis|usa|introducid|utiliza(?:ndo)?|introduciendo|aplicando|con|com|digitando|digita|colocando|inserindo|mit|nutzt?|per|unter|eingeben|met|gebruik|vul in|avec|utilise[rz]?|entre[rz]?"
    r"|tape[rz]?|inserisci|inserendo|usate|z|wpisz|wpisując|na hasło|s|zadej|med|använd|ange|skriv|brug|bruk|pakai|pake|masukkan|gunakan|gamitin|gamit ang|nhập|dùng|kullan\w*|girin"
    r"|cu|koodilla)|(?<![а-яё])(?:по|с|введи\w*|вводи\w*|со словом|промо)|(?<!\w)w/)\s?[\"'*:(]{0,2}\s?$"
)
"""Words right before a code."""

CODE_SIGN_BEFORE: Final = re.compile(
    r"(?:[-:=>|→➜➡⇒▶►]|\u2014|(?<= )/)\ufe0f?\s?[\"'*(]{0,2}$|[\"'*(]$"
)
CODE_SIGN_BEHIND: Final = re.compile(
    r"[\"'*)]{0,2}\s?(?:[=→➜➡⇒]|->|(?:at|on|for|auf|bei|für|sur|chez|pour|en|em|na|no|su|da|op|bij|voor|på|hos|for|di|в|на)\b)"
)
"""Signs and words between a code and what it is for."""

NAMED_CODE_BEHIND: Final = re.compile(
    r"[\"'*)»]{0,2} ?(?:[^\w\s]{1,2} ?)?(?:это )?(?:твой|ваш|мой|наш|is (?:your|my|our|the)|ist (?:dein|euer|mein|unser|der)|est (?:ton|votre|mon|le)|es (?:tu|mi|nuestro|el)|[eé] (?:o )?(?:seu|meu|nosso)) "
    r"(?:promo ?|discount |rabatt|gutschein)?(?:промо-?код|код|code|c[oó]digo|cup[oó]n|cupom|coupon)\b"
)
"""What calls the word before it a code: "SAM10 is your code"."""

QUOTED_LABEL: Final = re.compile(r"(?:^|\n)[^\n:]{2,30}: ?[\"']$")
"""A name, a colon and a quote before a code: "Acme: 'SAM'"."""

PRICED_BEHIND: Final = re.compile(
    r"[\"'*)]{0,2} ?(?:=|->|for|gives?(?: you)?|gets? you|to get|saves?(?: you)?|für|gibt|pour|per|para|por|da|daje|geeft|ger) "
    r"?(?:an? |up to |extra |bis zu )*\d{1,2} ?% ?(?:off|discount|rabatt|de |di |korting|zniżki|скидк|indirim|$|\W{0,3}(?:at|on|auf|bei)\b)"
    r"|[\"')]{0,2} kod(?:uyla|u ile|unu kullan\w*)\b"
)
"""What a code gives, right behind it: "SAM10 for 10% off"."""

GIVEN_BEHIND: Final = re.compile(
    r"[\"'*)]{0,2} (?:=|for|gets? you|gives? you|für|pour|para|per|voor|за|за это) (?:an? |one |eine? |une? |uma? |een )?"
    r"(?:free|gratis|kostenlose\w*|freie\w*|бесплатн\w+|\d{1,3} off)\b"
)
"""What is given for the creator's own code, right behind it: "SAM for a free hook"."""

PRICED_BEFORE: Final = re.compile(
    r"(?:\d{1,2} ?% |[$€£]\d+ |\d+ ?[€₽] )(?:off|discount|rabatt|de descuento|de desconto|de réduction|di sconto|korting|zniżki|скидк\w) [^\n:]{2,40}: ?[\"'*]{0,2}$"
)
"""A benefit, its shop and a colon right before a code that ends the line: "10% off at Acme: SAM10"."""

SITE_BEHIND: Final = re.compile(
    r"[\"'*)]{0,2} (?:at|on|auf|bei|sur|chez|en|em|no|na|su|op|på|hos|w) (?:the |their )?"
)
"""Words between a code and the site that it is used at."""

MENTIONS: Final = (
    r"\b(?:mention(?:ing)?|drop|quot(?:e|ing)|use|enter|type|give (?:them|him|her)) (?:my|our) (?:channel )?name\b",
    r"\bmy name (?:at|in|on|when|as) (?:the )?(?:checkout|cart|basket|order\w*|you|notes?|discount|code)\b",
    r"\b(?:mention|say|quote|give)(?:ing)? (?:the word |the password |the name )?[\"']?(?P<word>[\w&]{3,20})[\"']? (?:when|at (?:the )?(?:checkout|till|counter|desk|bar|reception|door)|and (?:get|they|you)|for (?:a |an |your |\d))",
    r"\bmention(?:ing)? (?:the|this|my|our) (?:channel|video|show|podcast|vlog|episode|youtube)\b",
    r"\b(?:tell|telling) (?:them|him|her|the (?:guys|team|folks|staff|lads|shop|girls)|'em|em) (?:that )?(?P<word>[\w& ]{1,24}?) (?:sent|sends|send|referred|told) (?:you|ya|u)\b",
    r"\bsay(?:ing)? (?:that )?(?:[\w& ]{1,24}? sent (?:you|ya)|you(?:'re| are| came| come)? (?:from|via|through|here (?:from|via)) (?:the|my|our|this)?)",
    r"\b(?:the |secret )?pass ?word ?(?:is|:|for \w+ is)? ?[\"'](?P<word>[^\"'\n]{2,20})[\"']",
    r"\b(?:sagt?|sagen|erwähn\w*|nenn\w*|richtet aus)(?: \w+){0,2},? (?:dass ihr|dass du|ihr kommt|du kommst|den kanal|das video|meinen namen|uns(?:eren namen)?\b)",
    r"\b(?:stich|kenn|code|losungs|zauber)-?wort ?:? ?[\"'](?P<word>[^\"'\n]{2,20})[\"']",
    r"\b(?:grüße von mir|mit meinem namen)\b",
    r"\bdi(?:l[ae]s?|les|ga[ns]?|ciendo|gan(?:le|les)|cid)? que (?:vien\w+|vais|van|vas|venís|l[oe]s? (?:manda|env[ií]a)|te (?:manda|env[ií]a)|os (?:manda|env[ií]a)|sois|eres)\b",
    r"\bde (?:mi|nuestra) parte\b",
    r"\bcon la palabra [\"']?(?P<word>\w{3,20})",
    r"\bmencion(?:a|ando|en|ad|ando el|ar) (?:el |este |mi |nuestro )?(?:canal|v[ií]deo|nombre)\b",
    r"\bfal(?:a|em|ando|e|ar) que (?:[eé] |são |veio|vieram|vem|viu|viram|me |é)",
    r"\bdi(?:z|gam|zendo|ga|zer) que (?:v[eê]\w*|veio|viu|é |são |vem|foi)",
    r"\bda (?:minha|nossa) parte\b",
    r"\bpalavra[- ](?:passe|m[aá]gica|chave) ?:? ?[\"'](?P<word>[^\"'\n]{2,20})[\"']",
    r"\bdites?(?:-leur)? que (?:vous|tu|c'est|je)",
    r"\bde (?:ma|notre) part\b",
    r"\bavec (?:le )?mot de passe [\"'](?P<word>[^\"'\n]{2,20})[\"']",
    r"\bmentionne[rz]? (?:ma|la|notre|mon|cette) (?:cha[iî]ne|vid[eé]o|nom)\b",
    r"\bdi(?:te|'|gli|cendo)? (?:gli |loro )?che (?:vi|ti) (?:mand\w+|ho mandat\w+)",
    r"\bda parte (?:mia|nostra)\b",
    r"\bparola d'ordine ?:? ?[\"'](?P<word>[^\"'\n]{2,20})[\"']",
    r"\bzeg dat je (?:via|van|door|komt|kwam)",
    r"\b(?:noem|vermeld) (?:mijn|onze|dit|deze|de) (?:naam|kanaal|video)\b",
    r"\bpowiedz(?:cie)?,? że (?:jeste\w+|przycho\w+|od)",
    r"\bna hasło [\"']?(?P<word>[\w]{3,20})",
    r"(?<![а-яё])(?:говори\w*|скажи\w*|сказав|назови\w*|назвав)(?: им| менеджеру| продавцу)?,? (?:что (?:вы |ты )?(?:от|с|из|пришли|пришёл)|[\"'](?P<word>[^\"'\n]{2,20})[\"']|кодовое слово|название канала|имя канала)",
    r"(?<![а-яё])кодов\w+ слов\w+ ?[:-]? ?[\"']?(?P<word>[\w]{3,20})",
    r"\b(?:řekněte|řekni),? že (?:jste|jsi|vás|tě)",
    r"\bsäg att (?:du|ni) (?:kommer|hörde|såg)",
    r"\bnævn (?:kanalen|mit navn)",
    r"\b(?:bilang|sebut|sebutin)(?: aja| saja)? (?:dari|tau dari|tahu dari|nama|nonton|kalau)\b",
    r"\b(?:sabihin|banggitin)(?: n[iyo]+| mo| lang)*(?: na)? (?:galing|from|ang|pinadala|nakita|si)\b",
    r"\bnói (?:là |rằng )?(?:xem|biết|từ|khách|bạn)[^\n.]{0,14}(?:kênh|video|của)",
    r"\b(?:kanaldan|videodan|benden) geldiğini\w*",
    r"\b(?:adımı|ismimi|kanalın adını|kanalı) söyle\w*",
    r"\bmera naam (?:bol\w*|le\w*|bata\w*)",
    r"मेरा नाम (?:बोल|ले|बता)\S*",
    r"(?:บอก|แจ้ง)(?:ว่า|ทางร้านว่า)?(?:มาจาก|ดูจาก|ชื่อ)(?:ช่อง|คลิป|เพจ|เรา)?",
    r"(?:合言葉|合い言葉|キーワード)(?:は|:|「)? ?\"?(?P<word>[^\"\s。、]{2,15})",
    r"(?:動画|チャンネル)を(?:見た|みた|観た)と(?:言|伝|お伝)",
    r"(?:보고|보고서|통해|에서) 왔다고 (?:말|하)",
    r"(?:報|报|說|说|提)(?:上|到)?我(?:的)?(?:名字|頻道|频道)",
    r"(?:暗號|暗号|通关密语|通關密語|口令)(?:是|:)? ?\"?(?P<word>[^\"\s。,]{2,12})",
    r"(?:قول|قولوا|اذكر|اذكروا)(?:له|لهم)? ?(?:انك|إنك|انكم|إنكم|اسمي|اسم القناة)",
)
"""Discounts for who names the channel or a password; a group holds the word, where there is one."""
