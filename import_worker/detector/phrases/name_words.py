"""Words around a brand's name: those that lead to it, stand inside it, or end it."""

import re
from typing import Final

from import_worker.detector.phrases.calls_to_save import CALLS_TO_SAVE
from import_worker.detector.phrases.product_words import PRODUCT_WORDS

LEADING: Final = re.compile(
    r"(?:\b(?:the|our|my|today'?s|this|video'?s|week'?s|good|great|awesome|amazing|wonderful|lovely|incredible|dear"
    r"|friends?|folks|lads|copains|potes|équipe|gars|gens|chicos|gente|equipo|equipe|pessoal|galera|ragazzi|amici|jungs|leute|mensen|jongens|vrienden|onze|mijn|sponsoren|ekip[aeiy]|chłopak\w+|ребят\w*|команд\w{1,3}|team|guys|crew|at|over|from|of|sponsors?|partners?|sponsoring|company|brand|app|game|new"
    r"|mobile game|makers of|entire|whole|line of|amazing people|lovely people|good people|both|also|again|so much|very much|a lot|with|by|to|is|are|was"
    r"|la|le|les|l'|l|el|los|las|o|os|as|a|à|au|aux|die|der|das|dem|den|von|durch|mit|an|unsere[nm]?|meine[nm]?|partner[ns]?|für"
    r"|της|του|την|τον|το|η|ο|οι"
    r"|éditions|maison d'édition|editorial|editora|editrice|edizioni|verlag|uitgeverij|wydawnictw\w{1,3}|издательств\w{1,3}"
    r"|société|marque|firma|marke|empresa|marca|loja|compañ[ií]a|nuestros?|amigos|nos|notre|mon|mes|amis|de|chez"
    r"|компани[яией]+|сервис\w{0,2}|магазин\w{0,2}|бренд\w{0,2}|наш\w{0,3}|проект\w{0,2}|приложени\w{1,2}|игр\w{1,2}|онлайн|школ\w{1,2}"
    r"|портал\w{0,2}|марк\w{1,2}|часов|комплекс\w{0,2}|девелопер\w{0,2}|клиник\w{1,2}|банк\w{0,2}|салон\w{0,2}|студи\w{1,2}|российск\w{2,3}|американск\w{2,3}|немецк\w{2,3}|интернет[ -]магазин\w{0,2}|платформ\w{1,2}|ооо|оао|пао|зао|ао|株式会社|様)\b(?![.'][^\W\d_])|\(c\)|©|</?[a-z]{1,6}>|[\s:\-@\"'#*_(\[<=>!~|.,;/]|[^\w\s.,!?;]){1,12}",
    re.IGNORECASE,
)

TOKEN: Final = re.compile(
    r"[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]"
    r"(?:[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]|['&+\-](?=\w)|\.(?=[a-z\d])|(?<![a-z]{3})\.(?=\w))*"
)

INSIDE: Final = frozenset({"of", "de", "du", "del", "the", "x", "&", "+", "'n"})
"""Lower-case words that may stand between capitalised words of one name."""

BEHIND_DE: Final = frozenset({"la", "las", "los", "l"})
"""Articles that may stand there behind "de"."""

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
    r"[._]?(?:official|oficial|oficiel|officiel|brasil|brazil|usa|us|uk|france|deutschland|india|japan|korea|españa|espana|italia|mexico|(?<![._])hq|global|store)$",
    re.IGNORECASE,
)
"""Words that brands append to their name in a handle."""

AMBIGUOUS: Final = frozenset(
    """
    boat
    capita contigo fogo loudsound nerf nécessaire necessaire versed remarkable lunii yaman parasut yuca sanar
    sporter traficar hopeenglish criminalcase hiddencity fullcycle justflight littledutch sixthjune topdrives
    wiseup choiceindia publicdesire moremo knab rakk stimuler fender fishman behr bessey gyre huntress kensington
    pinecone progresso quicken swann weatherby satisfactory confluent cohere novation njie hornig jennyfer herta
    gabia frase encord homey generac illex janji jow kovi mathem mymind orsen roco rork stellaris swimm thangs
    truist unstop valken vistra wobi zando farewill timescale supernormal stormrock starface schick scheels
    lockin tekton revell rochas perrin prizrak formex eggo dixy ambitio paqui maiia satsuki givi klim vimla
    billa michiru yoshimura haruyama bardeen ibanez ibáñez lusha suhai egeland эгеланд lewitt mossberg zinsser
    gardena cotopaxi spiti gizeh haida morotai tepui vaia gorgie ziggo serta olay schlage laboratorium elektron
    sargento feldherr rotwild geizhals rokoko loudly byword viata calida cálida cailler vahiné vahine diptyque
    masomo youse kifaru eskadron mustela gorgias milvus motu mavic slurm dadant mabinogi pennylane northgard
    wartales starbound batel ironmaster höffner steinel garbolino kahles
    1c 1с 3denergy 80eighty abh ableton abletonlive abode absolut acorns action adrenaline aer aerie affinity affirm
    agario aha aida aion akg allegro allen allo allright alone alter amazon amberjack amboss amc
    americantrucksimulator ameritrade amongus amuse ana anchor angrybirds anova aov apexlegends apostrophe apple
    arai arcadia arctic arcticfox ard argos arma3 arrived arte article aruba asana assassinscreed ather atom atoms
    atu au audi aura avenue avis avon away axa axe axis azul backbone backcountry backit baileys ballsy bandicam
    bannerlord bark barner base battlefield battlefieldv bauhaus bbc bbs beacons beamng beams beats bell bentley
    bevel billie binge bird bison blackrussia blau blick blitz bluearchive bmo bmw bobs bolt bonobos booking boolean
    boots booyah boss bosskodak bote boya bp bq brandi brava brave bricks britannia brother bsn bt bubs buffy bulk
    bumble burga burrow burst burton b站 caffeine caixa caliente calm camtasia canal candid canon canyon capcut
    captions cardano cardo carrd casa casper catch caviar celio celsius chainlink chanel chase cheetos chevy chewy
    chipotle chomps christ cider cinch cinema4d citi citrus civilizationvi clario clark claro clas clearly clif clio
    cobb coda coleman coles columbia comfy condor conrad converse convex cora cougar courir cowboy crackle craftsman
    crave cred credible crest croma crucial cubase cube culprit cults curve cuts dabble dave dayz dbd deadbydaylight
    decked deel defender denon dhc diablo4 diabloiv dice digi dio directa disco discovery ditto dm dns docker dodge
    dolap donner douglas dove dragonraja drako drom drop dropout ducky duda ea eastwood edelweiss ee einhorn eis
    elektra embark emma emp endy enso epos ergo esl eso esprit essence essential esso eudora eurosport
    eurotrucksimulator2 everand evo exodus faceit factor fallguys fanta farcry farcry6 farmingsimulator fathom fdj
    feed ferrari fever ff14 fiat fidelity fido figs fila finalfantasyxiv finn firebase firebox fisker fizz flo floyd
    flstudio focus fod fold ford forhonor forzahorizon forzahorizon5 fossil fox framer frostborn frostpunk fully
    gain gala game gap garanti gelato gemini genesis ghd gibson giro globetrotter gloom goat gobble goby gol google
    grab granturismo grapevine gratis graze greenlight gu guildwars gulliver hackers halo haloinfinite hardline
    hatch hawkers hawthorne hazel headway helium helldivers2 henry hera hermes hers hersheys hertz hims hinge hint
    hired his hitachi hitman hitman3 hm hmd hobie hoff hogwartslegacy hoka holley honey honor hopper horace hori
    hover hrk htc hubble hum humankind huron hype iberia ibm ig igloo iliad imgur imprint indeed indigo infiniti ing
    inshot intercom iracing itv iwant jagex jaguar jasper jawa jbl jerry jio joann joe joko jouer jules kaged kaplan
    karaca karma kate kayak kayo keeps kiehls kiko kinder kinemaster kite kitsch knorr koala kobo kodak kontur
    kraken krom kry kt kto kuna kuru kwautomotive kz lada lambda lamborghini lancia landwirtschaftssimulator lawson
    lays lcl ledger leica lemonade lems leon levels lexar lexus lime lincoln lineage lips lisa livi locals loco lola lolly
    loom lor lorenz lotte lotus lovable lucid lull lulus lumen luno lush lydia maggi majestic makeup mandala mango
    manual manus marisa masai matlab mavi mcLaren mediaset meh melissa melon mentos menu metamask mg michaels
    microsoftflightsimulator mill minecraft mini minimalist miro mirror mixer mkm molekule molotov moment momentous
    monsterhunter mosh mpg mpl msfs msr mts murad müller nars native natura navi nebula nec neds needforspeed neon
    nerf nestle neumann newlook newone next nickel nio nist noise nomad noon norton nosh nothing notion now nura
    nutella obi obsidian ocs odin ofra ofrac oi oldtown olimp ollie olly olympus onegaming onepc onlyone onnit opera
    opi oracle orange orbis oreo orion orly oskar osmo osprey osrs otto outback overclockers overwatch overwatch2
    ovs palworld pancakeswap pandora panera papier parachute parle patagonia payback payday2 payday3 peacock peak
    pedigree pela pelican penny picnic pilot ping plated plum plunge pluto poc pocky poe poki polar polaris polaroid
    polkadot polygon popeyes porsche porter positivo postman powerbi prada premier prime prisma pro7 prodigy
    projector promotion prose prosieben proton prs psd puffy punkt purple quick quip quo raid railway rain
    rainbowsix rainbowsixsiege ram ramp rampage rapido rbc rebel regard rei render residentevil respire restore
    reverb revolve rhone ridge rigol ring ripple ritual rivalry rocketleague rode rogers rogue roland rolex roman
    rover roxy rubyrose rumble runescape runway rust ryse salto samson sandbox sap saraiva saturn sauna sbi scaler
    scoot scrabble seamless seat seed seiko sela selina sena sentry shahid shark sharp sheath shell shine showtime
    sigma sisal skittles skool sky slack sleeper slice smalls smarty smash smite smite2 smol snai sneak snickers
    snitch snow snowflake solana sonder sonyvegas soop speak specialized spindrift spinny splice sprint sprite stake
    stan stance stanley stanleytools starcraft starling start stash status stellaris stradivarius strato
    streetfighter stripe sts subito submarino subway subwaysurfers suno superset swan swatch swtor tab tableau tado
    takis tanks target tarkov teamgroup tecno temple templerun tempur tenthousand teufel tft thalia thedivision
    thedivision2 thesims thesims4 thesis thetown thorne three thule tiege tier tiger tile tim timex titan titus tod
    tome toom torrid toss totalwar township trackernetwork treehouse trek trifecta trova trovo turo tuxedo tvs twix
    typology ulike ulta unagi uniswap unity uphold upland ups upstart vaer valheim valve vans vari vega vegaspro
    veja vertu very vichy victrix villain visa visible vive vivid vix voi volia vpa vrchat vroom vtoman wag wahoo
    wallbox warframe warhammer warhammer40000 warhammer40k watchdogs waterdrop wego wemade whatnot whisker whistle
    whoosh wiggle wildling winchester windsurf wingstop wink wise wish womanizer woodcraft workman worldclass
    worldofwarcraft wow wowclassic wrangler wren ww xm xplane xshift yakima yeti zara zarina zbrush zdf zipp zoa
    zoff zoom zsa добрый додо додопицца дром звук контур лабиринт лада магнит перекресток перекрёсток петрович
    победа подружка премьер сравни тильда халва ясно شاهد オーディン グリコ グリー バイオハザード バッファロー フロンティア マインクラフト モンスターハンター モンハン
    富士通 日立 明治 東芝 松屋 白猫 마인크래프트 멜론 스타크래프트 오딘 오버워치 지누스 크림 클리오 플로 헤라 화해
    """.split()
)
"""Names of brands that are also words, given names or places: alone they name no brand without its link."""

GENERIC: Final = frozenset(
    """
    dziękuję dziękujemy dzięki dziekuje dziekujemy wsparciu wsparcie patronów patronow widzów widzow wspierających
    gefällt apoio realização patrocínio
    dieses diese dieser cette questo questa deze это этот эта
    you your yours me us them him her patreon patrons patron viewers subscribers members everyone everybody anyone
    youtube instagram twitter facebook tiktok twitch discord viewerslikeyou youtubechannel all these those following
    sponsor sponsors our my friends fans people channel video videos music song ad ads advertising description below
    link links god jesus mom dad team community supporters donors backers viewer brands brand companies company
    another other others any some one someone various different several many none nobody no none n/a tba tbd
    amazon sponsorship partner partners partnership collaboration creator creators artist artists various
    dich euch sie ihr uns mir vous nous toi moi ti te voi você vocês ustedes vosotros вас нас них подписчиков вам
    english spanish german french
    powered store new checkout tickets ticket album single song now here it this that app game
    mein meine unser unsere dein mon ma mes ton ta ici toi tout tous todo todos toda todas dos das der die nos notre nuestro nuestra
    meu minha nosso nossa mi mis alle alles hier produits producto produto products product produkte vidéo vídeo folge
    ооо оао пао зао ао ип инн огрн erid they've мой моя мои наш наша наши вас всех подробнее сайт канал канала музыка
    vielen danke dankeschön merci gracias obrigado obrigada grazie спасибо благодарим благодарю благодарность absolutely nor neither
    paid produktplatzierung produktplatzierungen werbung anzeige sponsoring kooperation werbepartner 品牌 品牌方 廠商 厂商 贊助商 赞助商 βίντεο
    장소 제품 의상 소정 영상 본 해당 이 업체 고객사 제작비 광고 협찬 유료 素材 楽曲 音楽 音源 写真 情報 画像 動画 使える 利用できる クーポン
    government state university college church police army navy children kids
    """.split()
)
"""Words in the position of a sponsor that name none."""

CALENDAR: Final = frozenset(
    """
    monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december
    """.split()
)
"""Days and months: with a number or each other they name none, and may begin a name: "Monday Shoes"."""

ALONE_GENERIC: Final = (PRODUCT_WORDS | CALLS_TO_SAVE) | frozenset(
    """
    author authors writer phone phones growth laptop tablet camera device unit sample review host guest speaker seller
    manufacturer developer developers publisher editor editors rabatt rabatte discount discounts réduction descuento desconto sconto korting скидка скидки affiliate affiliates promotion promotions location lokasi lokasyon
    """.split()
)
"""Words that name none alone, and may begin a name: "Growth Street"."""

NO_NAME_KOREAN: Final = re.compile(
    r"^(?:본|이|해당|오늘의?|이번|모든|일부) ?(?:영상|동영상|콘텐츠|컨텐츠|채널|방송)?\w?$|^(?:동?영상|콘텐츠|컨텐츠|채널|방송)"
    r"|[가-힣](?:은|는|을|를|에|에서|내에|에는)$"
)
"""Words before "paid advertising" that are the video or carry a particle no name ends with."""

NEXT_NAME: Final = re.compile(
    r"(?:(?<=\b(?:Inc|Ltd|LLC))\.)?[™®℠]?\s{0,2}(?:,|/|\+|&)?\s{0,2}(?:\b(?:et (?:à|aux?)|y al?|e (?:a|à|ao|alla|ad)|und (?:an|von)|и от"
    r"|and|et|und|y|e|и|dan|và|ve|och|og|plus|sowie|as well as|und auch|and also|along with)\b)?"
    r"\s{0,2}(?:\b(?:by|to|our friends(?: over)? at|the (?:team|folks|people|guys|crew|gang)(?: over)? (?:at|from|of)"
    r"|the(?= [A-Z][\w'&.\-]*(?: [A-Z][\w'&.\-]*)? (?:team|crew|folks|people|guys|gang)\b))\b)?\s{0,2}"
)

OPENER: Final = re.compile(
    r"(?:\b|(?<=[a-z0-9/])(?=[а-я]))(?:thanks?(?: you| u)?(?: so much| very much| a lot| a ton| again| also| once again| as always)*(?: goes| go| out)?(?: to)?"
    r"|thx(?: to)?|shout ?outs?(?: to)?|props to|kudos to|huge thanks|love to|credit to"
    r"|merci(?: beaucoup| encore| infiniment| mille fois)?(?: à| a| aux| au)?|remerci\w+"
    r"|dank(?:e|e schön|eschön)?(?: nochmal| auch)?(?: ans?| geht ans?)?|gracias(?: a)?|obrigad[oa](?: a| à| ao)?|valeu(?: a| à)?"
    r"|grazie(?: mille)?(?: a| ad| alla)?|спасибо(?: большое| огромное)?|благодар\w+"
    r"|tack(?: så mycket)?(?: till)?|tusen takk(?: til)?|takk(?: til)?|tak(?: til)|dzięki(?: wielkie)?(?: dla)?(?: firm\w+| marce)?|dziękuj\w+(?: firmie| marce| sklepowi)?|podziękowania(?: dla)?(?: firmy| marki)?"
    r"|děkuj\w+(?: firmě| společnosti)?|díky(?: firmě)?|ďakuj\w+|дякую\w*|дякуємо|terima ?kasih(?: banyak)?(?: kepada| untuk| buat| ke| pada)?|makasih(?: banyak)?(?: buat| ke)?"
    r"|(?:maraming |many )?salamat(?: po)?(?: sa| kay| ng)?|cảm ơn(?: tới| đến)?|cám ơn|mulțumi\w+|kiitos|köszön\w+|bedankt(?: aan)?|(?:met )?dank aan|complimenti a"
    r"|gracias (?:al|a los)|agradec\w+(?: a| à| ao)?|ringrazi\w+|merci aux|un grand merci|cheers to|big up(?: to)?|huge love to|hats off to)(?!\w)"
    r"|\b(?:hvala(?: puno| vam)?|zahvaljujem\w*(?: se)?)(?!\w)"
    r"|\bευχαριστ(?:ούμε|ώ)(?: πολύ| θερμά)?(?!\w)"
    r"|ขอบคุณ(?:ทาง)?|ขอขอบคุณ|شكرا(?: جزيلا)?(?: ل| إلى|ً ل)?|نشكر|धन्यवाद|感謝|感谢|谢谢|謝謝"
)

PEOPLE_AT: Final = re.compile(
    r"\b(?:team|people|folks|guys|crew|friends|staff|everyone|gang) (?:over |down |out )?(?:at|from|of|in)\s"
)
"""Words of thanks to a company's people, behind which its name stands."""

ABBREVIATED: Final = re.compile(
    r"\b(?:(?:Dr|Mr|Mrs|Prof)\.(?=[A-Z][a-z])|(?:(?:St|Ste|Mt|Ft|Dr|Mr|Mrs|Ms|Prof)\."
    r"|(?!(?:U\.S|U\.K|E\.U|U\.A\.E|P\.S|D\.C|L\.A|N\.Y|A\.D|B\.C|A\.M|P\.M)\. )(?:[A-Z]\.){2,4}|(?:[a-z]\.){3,4})(?= [A-Z]))"
)
"""Words and initials whose full stop ends no sentence, and no name: "St. Acme", "A.B. Acme"."""

KIND_OF_COMPANY: Final = re.compile(
    r"(?:(?:[а-яё]+(?:ая|ой|ый|ий|ое)|интернет|онлайн|автосервис|детейлинг)[ \-])?(?:компани[яией]+|магазин\w{0,2}|фирм\w{1,2}|бренд\w{0,2}|сервис\w{0,2}|салон\w{0,2}|студи\w{1,2}|клиник\w{1,2}|клуб\w{0,2}|ателье|центр\w{0,2}|ферм\w{1,2}|марк\w{1,2}|производител\w{1,2}) "
)
"""Words in small letters that say what a company is, before its name."""

CASE_ENDING: Final = re.compile(
    r"(?<=\w)'(?:y?[eaiıuü]|[nd]?[iıuü]n|[dt][ea]n?|s[iıuü]|l[ea]r|yl[ea])$"
)
"""What Turkish adds to a name to say what part it has in the sentence: "Acme'ye"."""

CJK_STOP: Final = re.compile(
    r"[\s'、。,.!?!?「」『』()\[\]【】はがをで:\"|\u2190-\u2bff\U0001f000-\U0001faff]|h(?=ttp)"
)
CJK_AFFIX: Final = re.compile(
    r"^(?:(?:شركة|تطبيق|موقع|متجر|منصة) |PT\.? (?=[A-Z])|[가-힣 ]*(?:위해|통해|에서|으로|는|은|와|과|의|및)(?=[A-Za-z])|[本该此這这今][\u4e00-\u9fff]{0,6}由|(?:特[别別])?感[谢謝](?:品牌)?|株式会社|有限会社|合同会社|\(株\)|주식회사)|(?:株式会社|有限会社|様|さん|さま|(?:様|さん)?の(?:提供|プロモーション|広告|協賛)|(?:で|にて|の)(?:使え|使用|ご?利用|クーポン).{0,16}|주식회사|(?<=[가-힣]{2})으?로부터|(?<=[가-힣]{2})에서|(?:提供|赠送|贈送|赞助|贊助)的.{1,12}|(?<=[\u4e00-\u9fff]{2})合作(?:推出|拍摄|拍攝|制作|製作|完成|呈现|呈現)?|(?<=[\u4e00-\u9fff]{2})(?:特别|特別)(?:支持|赞助|贊助))$|,? (?:LLC|Inc|Ltd|PBC|PLC|LLP|GmbH|AG|Corp|S\.?A)\.?(?: .*)?$"
    r"|(?<=\w\w),? (?:(?:Pty|Pvt|Co)\.?,? (?:Ltd|Limited)|S\.?[rR]\.?[lL]|S\.?[pP]\.?A|SARL|SAS|Sdn\.? Bhd|[dD]\.?[oO]\.?[oO]|[sS]\.?[rR]\.?[oO]|[sS]p\.? ?z ?\.?o\.? ?o|A/S|ApS|ASA|AB|Oyj?|B\.?V|N\.?V|Kft|Lda|Ltda|EIRL|GmbH & Co\.? KG|ΑΕ|Α\.Ε|ЕООД|ООД|ТОВ)\.?$"
    r"|^(?:ООО|ОАО|ЗАО|ПАО|АО|ИП|ТОВ) "
)
