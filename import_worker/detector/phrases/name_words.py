"""Words around a brand's name: those that lead to it, stand inside it, or end it."""

import re
from typing import Final

LEADING: Final = re.compile(
    r"(?:\b(?:the|our|my|today'?s|this|video'?s|week'?s|good|great|awesome|amazing|wonderful|lovely|incredible|dear"
    r"|friends?|folks|team|guys|crew|at|over|from|of|sponsors?|partners?|sponsoring|company|brand|app|game|new"
    r"|mobile game|makers of|entire|whole|line of|amazing people|lovely people|good people|both|also|again|so much|very much|a lot|with|by|to|is|are|was"
    r"|la|le|les|l'|l|el|los|las|o|os|as|a|à|au|aux|die|der|das|dem|den|von|durch|mit|an|unsere[nm]?|meine[nm]?|partner[ns]?|für"
    r"|société|marque|firma|marke|empresa|marca|loja|compañ[ií]a|nuestros?|amigos|nos|notre|mon|mes|amis|de|chez"
    r"|компани[яией]+|сервис\w{0,2}|магазин\w{0,2}|бренд\w{0,2}|наш\w{0,3}|проект\w{0,2}|приложени\w{1,2}|игр\w{1,2}|онлайн|школ\w{1,2}"
    r"|株式会社|様)\b|\(c\)|©|[\s:\-@\"'#*_(\[<=>!~|.,;/]|[^\w\s.,!?;]){1,12}",
    re.IGNORECASE,
)

TOKEN: Final = re.compile(
    r"[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]"
    r"(?:[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]|['&+\-](?=\w)|\.(?=[a-z\d])|(?<![a-z]{3})\.(?=\w))*"
)

INSIDE: Final = frozenset({"of", "de", "du", "the", "x", "&", "+", "'n"})
"""Lower-case words that may stand between capitalised words of one name."""

ENDING: Final = frozenset(
    """
    use using go get check click head visit try download sign this today thanks thank for follow subscribe join watch
    learn start save enjoy also we i you they it if when as who which that to in on at from with want find
    please our my your the first link links code free and is are was has have support shop buy order
    gratuitement gratis kostenlos grátis бесплатно
    see more here now just make grab play enter be
    hier mit und jetzt der die das merci avec pour utilisez allez découvrez
    usa use acesse com no na baixe по на в с за и ссылка получи
    follow instagram twitter facebook youtube
    """.split()
)
"""Words that no longer belong to a name, even when capitalised; as first words they are no name."""

HANDLE: Final = re.compile(r"@([a-zA-Z][\w.]{2,30})")

HANDLE_SUFFIX: Final = re.compile(
    r"[._]?(?:official|oficial|oficiel|officiel|brasil|brazil|usa|us|uk|france|deutschland|india|japan|korea|españa|espana|italia|mexico|hq|global|store)$",
    re.IGNORECASE,
)
"""Words that brands append to their name in a handle."""

AMBIGUOUS: Final = frozenset(
    """
    acorns anchor aura arcadia article asana atoms au audi away axe bark blitz bolt booking brave buffy bulk bumble burrow calm
    canon casper celsius chase chewy claro clark cred croma crucial cuts deel dm dns dodge douglas ea elektra embark emma emp
    endy everand factor fiat figs finn focus ford fully gemini goat hatch headway hims hinge hired honey honor hopper hover
    hype imprint indeed jasper jio kayak keeps kobo kraken kt lambda ledger leon lime lineage loco lull lydia masai miro
    moment mpl mts native natura nebula nerf noise norton nothing notion obi ollie opera orange otto peacock prime promotion prose
    proton purple quip raid rei ridge ring ritual rode roman runway saturn scaler seat seed sheath shell sky slack sneak speak stake
    strato subway tableau tanks target tempur thorne tim toss turo ulta unity uphold valve visa visible voi whisker wise wish
    wow wren yeti zoom apple amazon google
    """.split()
)
"""Names of brands that are also words, given names or places: alone they name no brand without its link."""

GENERIC: Final = frozenset(
    """
    you your yours me us them him her patreon patrons patron viewers subscribers members everyone everybody anyone
    youtube instagram twitter facebook tiktok twitch discord viewerslikeyou youtubechannel all these those following
    sponsor sponsors our my friends fans people channel video videos music song ad ads advertising description below
    link links god jesus mom dad team community supporters donors backers viewer brands brand companies company
    another other others any some one someone various different several many none nobody no none n/a tba tbd
    amazon sponsorship partner partners partnership collaboration creator creators artist artists various
    dich euch sie ihr uns mir vous nous toi moi ti te voi você vocês ustedes vosotros вас нас них подписчиков вам
    monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december english spanish german french
    powered store new checkout tickets ticket album single song now here it this that app game
    mein meine unser unsere dein mon ma mes ton ta ici toi tout tous todo todos toda todas dos das der die nos notre nuestro nuestra
    meu minha nosso nossa mi mis alle alles hier produits producto produto products product produkte vidéo vídeo folge
    мой моя мои наш наша наши вас всех подробнее сайт канал канала музыка
    장소 제품 의상 소정 영상 본 해당 이 업체 고객사 제작비 광고 협찬 유료 素材 楽曲 音楽 音源 写真 情報 画像 動画
    government state university college church police army navy children kids
    """.split()
)
"""Words in the position of a sponsor that name none."""

NO_NAME_KOREAN: Final = re.compile(
    r"^(?:본|이|해당|오늘의?|이번|모든|일부) ?(?:영상|동영상|콘텐츠|컨텐츠|채널|방송)?\w?$|^(?:동?영상|콘텐츠|컨텐츠|채널|방송)"
    r"|[가-힣](?:은|는|을|를|에|에서|내에|에는)$"
)
"""Words before "paid advertising" that are the video or carry a particle no name ends with."""

NEXT_NAME: Final = re.compile(
    r"\s{0,2}(?:,|/|\+|&)?\s{0,2}(?:\b(?:and|et|und|y|e|и|plus|sowie|as well as|und auch|and also|along with)\b)?"
    r"\s{0,2}(?:\b(?:by|to|our friends at)\b)?\s{0,2}"
)

OPENER: Final = re.compile(
    r"\b(?:thanks?(?: you| u)?(?: so much| very much| a lot| a ton| again| also| once again| as always)*(?: goes| go| out)?(?: to)?"
    r"|thx(?: to)?|shout ?outs?(?: to)?|props to|kudos to|huge thanks|love to|credit to"
    r"|merci(?: beaucoup| encore| infiniment| mille fois)?(?: à| a| aux| au)?|remerci\w+"
    r"|dank(?:e|e schön|eschön)?(?: nochmal| auch)?(?: an| geht an)?|gracias(?: a)?|obrigad[oa](?: a| à| ao)?|valeu(?: a| à)?"
    r"|grazie(?: mille)?(?: a| ad| alla)?|спасибо(?: большое| огромное)?|благодар\w+)(?!\w)"
)

CJK_STOP: Final = re.compile(r"[\s、。,.!?!?「」『』()\[\]【】はがをで:\"|]|h(?=ttp)")
CJK_AFFIX: Final = re.compile(
    r"^(?:株式会社|有限会社|合同会社|\(株\)|주식회사)|(?:株式会社|有限会社|様|さん|さま|주식회사|(?<=[가-힣]{2})으?로부터|(?<=[가-힣]{2})에서)$|,? (?:LLC|Inc|Ltd|GmbH|AG|Corp|S\.?A)\.?(?: .*)?$"
)
