"""Labels of links that name no sponsor: sections of a description, places where media are published, and calls to subscribe."""

import re
from typing import Final

_MEDIA: Final = """
    spotify itunes applemusic apple music deezer soundcloud gaana saavn jiosaavn jiomusic wynk wynkmusic hungama resso raaga anghami boomplay tidal
    googleplay google googleplus youtube youtubemusic yt youtubechannel vevo amazonmusic amazon amazonprime bandcamp audiomack napster shazam
    beatport nhaccuatui zing zingmp3 kkbox linemusic melon genie bugs flo yandexmusic яндексмузыка distrokid
    tiktok tik tok snapchat snap pinterest tumblr twitter x facebook fb instagram insta ig инстаграм инста reddit discord twitch telegram телеграм тг
    whatsapp viber wechat weibo bilibili line lineblog linkedin vk вк vkontakte вконтакте одноклассники ok dlive steam patreon patreonpage paypal
    imdb wikipedia github blog blogspot medium vimeo dailymotion weverse vlive younow musically afreeca afreecatv onlyfans
    인스타그램 인스타 트위터 틱톡 페이스북 블로그 네이버블로그 이메일 메일 문의 카페 인스타아이디 インスタグラム インスタ ツイッター ティックトック フェイスブック ブログ メール ig tt fb instaname
    微博 抖音 小红书 小紅書 臉書 脸书 信箱 邮箱 郵箱 粉絲專頁 粉专 粉專
    audiojungle ncs nocopyrightsounds bensound audionautix incompetech soundeffectlab dovasyndrome otologic jokersounds
    day days coupon inst подробности ссылки link autokauf siteweb sitefrancais sitefrançais pocketse musicisvfr audiostock filmmusic depositphotos pixta unsplash giphy pastebin bitly
"""
_SECTIONS: Final = """
    merch merchandise merchstore mymerch store shop shops boutique loja tienda магазин мерч podcast podcasts подкаст playlist playlists fullepisodes
    episodes episode newsletter website site websites web homepage page pages fanpage officialsite officialwebsite official officiel oficial
    online blog blogs vlog vlogs channel kanal canal chaine cha\u00eene channels secondchannel main mainchannel gaming gamingchannel live livechannel
    group group\u0435 groupe gruppe grupo fan fanclub fanmail fans fc community mitglied member members membership join donate donation donations
    support supportme links link url here hier ici aqui aqu\u00ed click clique cliquez see more read readmore learnmore info information details
    recipe recipes rezept recette receita tickets ticket tour tourtickets book books ebook workshop course courses kurs curso training presets
    preset luts app apps iphone ipad android ios mac windows pc ps4 ps5 xbox switch download downloads free trial update updates news new
    gear equipment setup kit camera cameras kamera kameras caméra maincamera lens lenses objektiv objectif drone mic micro mikrofon microphone micros audio
    headphones headset chair keyboard mouse keyboardmouse monitor pclight light lights lighting licht tripod stativ gimbal laptop phone case cover
    software editing editingsoftware editor montage music musik musique musica m\u00fasica song songs track tracks intro outro soundtrack beat beats prod
    production credits directed director video videos vid\u00e9o vidéos photo photos photography art artwork animation voice sfx se bgm cd ep album single vinyl
    preorder vorbestellen mail email contact contacts kontakt business booking press impressum address pobox fanart questions ask answers ответы
    subscribe subscribed subscription abonne abonnieren abonnez abonnezvous abonnetoi inscrevase inscreva inscribete suscribete suscr\u00edbete iscriviti
    подпишись подписывайтесь подписка вступай группа группавк официальный официальная сотрудничество реклама видео новости для чтобы сайт канал
    구독 구독하기 구독해주세요 구매링크 유튜브 홈페이지 커뮤니티 チャンネル登録 公式サイト 販売サイト 商品説明url url werbung anzeige ad ads
    like share follow followme connect watch watchnow listen stream submit visit visita assista check checkout get give buy order available best top
    all up out one can dont lets heres whats its this that similar sale sales win plus life love world world internet usa us uk canada france india
    deutschland germany brasil brazil japan korea russia europe espana italia ukraine telugu hindi english french german spanish
    tv nbc abc cnn bbc cbs espn ufc nba nfl nhl mlb uefachampionsleague buzzfeed vice itv ntv tvn mnet globo sat1 prosieben rtl
    http https www com
    shirt shirts tshirt tshirts hoodie hoodies clothing outfit look coat dress shoes sneakers schuhe kleid hose jacke pulli makeup foundation primer
    concealer mascara palette blush lips serum rucksack schlafsack hülle handyhülle sticker stickers
    jan feb march april may june july august september october november december monday tuesday wednesday thursday friday saturday sunday
    team crew cast mods mod map server serveur discordserver minecraft fortnite roblox
    exclusive exclusivepreorderbundles bundles special deals dealsite code codes giveaway gewinnspiel concours
    part teil partie season saison staffel watchmore more mehr plus больше ещё еще
"""

SECTION_KEYS: Final = frozenset((_MEDIA + _SECTIONS).split())
"""Names by `folding.name_key`."""

MARKETPLACE: Final = re.compile(
    r"amazon|amzn|flipkart|ebay|aliexpress|walmart|udemy|geni\.us|kit\.co"
)
"""Shops of anyone's, by their names in a label or link."""

MEDIA: Final = re.compile(
    r"\b(?:watch|listen|stream|episodes?|podcast|album|single|ep|official|playlist|newsletter|recipe|tickets?|e-?book|workshop|course|curso|kurs|merch|tour|trailer|full|video|videos|vlog"
    r"|song|soundtrack|vinyl|pre-?order|season|interview|blog|article|story|stories|channel|kanal|cha[iî]ne|canal|canales|fan ?club|twitch|spotify|itunes|смотри\w*|слуша\w*|канал|групп\w*)\b"
)
"""Words for what is watched, heard or read: mostly the creator's own."""
