"""Words that many channels have in their names: in a link or a code they tell no channel."""

from typing import Final

_OWN_THINGS: Final = frozenset(
    """
    classes courses course kurs kurse cursos curso coaching training juku salon prints presets books book press wear apparel clothing merch
    tienda loja boutique laden butik magaza toko shop store shoponline webshop onlineshop atelier hq crew cast
    """.split()
)
"""What creators add to their name in the address of what they sell."""

COMMON_IN_CHANNELS: Final = frozenset(
    """
    channel channels official officiel oficial offiziell ufficiale canal canale kanal kanali kanalo canales chaine chain
    tube youtube video videos vids clip clips media medien film films movie movies cinema studio studios production
    productions show shows series podcast radio network news notícias noticias nachrichten magazin magazine journal
    daily weekly today live stream streams streaming vlog vlogs vlogger vlogging blog blogs life lifestyle story stories diary
    music musik musique musica música records record band song songs sound sounds audio beats
    game games gamer gamers gaming play plays player players playing minecraft fortnite roblox
    tech techno technology science facts history explained academy school learn learning lessons tutorial tutorials
    university college institute education english maths
    sport sports football soccer fussball futebol futbol fútbol basketball cricket golf fitness fight boxing racing bike bikes moto
    auto autos cars garage motor motors drive driving review reviews test tests unboxing
    food foods kitchen cook cooking recipe recipes cucina cocina cuisine küche eats
    beauty makeup fashion style hair nails kids baby family familie familia famille brothers sisters boys girls girl
    travel travels traveler adventure adventures world welt monde mundo earth outdoor outdoors nature
    money finance invest investing trading crypto bitcoin stock stocks business market
    home house garden craft crafts design designs paint painting drawing
    comedy funny humor best good great real little super mega mini free first simply just only more with from your this that
    team club crew group squad gang clan people with mein mine unser unsere para pour dein deine about
    club company online international global india indian america american usa deutsch deutschland german germany
    france french brasil brazil mexico españa spanish italia russia russian turkey japan korea korean china chinese
    shop store deal deals code codes promo sale offer offers link links bonus partner sponsor ref referral affiliate
    канал официальный новости видео фильм студия школа театр мультики детский обзор игры клуб
    """.split()
)

BESIDE_OWN: Final = COMMON_IN_CHANNELS | _OWN_THINGS
"""Words beside a word of the channel's name in the address of a site of its own."""
