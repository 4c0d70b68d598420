"""Sites that are never the sponsor themselves, by what a link to them means. Registrable domains."""

from typing import Final

SHORTENERS: Final = frozenset(
    """
    bit.ly goo.gl tinyurl.com cutt.ly clck.ru ow.ly t.co is.gd buff.ly rebrand.ly rb.gy shorturl.at
    smarturl.it linktr.ee linkin.bio beacons.ai
    vk.cc clc.to clik.cc tiny.cc adf.ly bl.ink soo.gd s.id v.gd x.co po.st snip.ly trib.al dlvr.it fandan.co
    cen.yt mtchm.de tap.link taplink.cc l.ead.me urlgeni.us bitly.com t.ly shor.by lnk.bio campsite.bio
    solo.to allmylinks.com carrd.co bio.link hoo.be snipfeed.co stan.store msha.ke koji.to komi.io lnk.at
    did.li bre.is ln.is amzlink.to amazn.co surl.li u.to qps.ru gg.gg href.li j.mp
    strms.net onelink.to smart.link link.to sprl.in go2l.ink dis.gd yt.be cli.co r10.to prz.io trb.gg hoyo.link
    clcr.me biitt.ly bit.do bitly.kr urlz.fr hyperurl.co backl.ink s71.link ln4.fr zly.de ytb.li
    teleg.run tele.click lnkd.in nav.cx kko.to twd.bz ffm.bio flow.page milkshake.app hey.link direct.me
    pillar.io lnktr.ee t2m.io t2mio.com short.gy rplg.co lc.chat shorturl.gg cutt.us me2.do me2.kr han.gl
    url.kr vo.la zrr.kr c11.kr buly.kr goo.su clc.am u.nu qr.ae db.tt x.gd onl.sc onl.tw onl.la reurl.cc
    pse.is lihi.cc lihi1.com lihi2.com lihi3.com ouo.io exe.io shorte.st bc.vc linkvertise.com
    short.io bitlink.to kutt.it tny.im tr.im moourl.com ity.im vsrap.ru mylinks.ai podfollow.com chtbl.com
    hubs.ly hubs.la
    bitli.in bityl.co bityli.com bit.ws bitly.ws shorten.asia shorturl.asia shope.ink tinyl.io tiny.one rotf.lol
    tiny.pl tny.sh v.ht da.gd yip.su 2no.co clicky.me
    encr.pw abre.ai l1nk.dev l1nq.com acesse.one encurtador.com.br n9.cl acortar.link goo.by clik.now shrtm.nu
    me-qr.com qrco.de by.com.vn bom.so s.net.vn rutgon.me
    lnk.ua chilp.it hubs.li sforce.co spr.ly ift.tt pin.it flip.it zpr.io loom.ly dub.sh dub.co shrt.ly kutt.to
    2cm.es lstu.fr frama.link t1p.de kurzelinks.de kurz.link
    ogy.de shortit.de is.gd bl.ink ibit.ly u.pw surl.lu shorturl.me s.gg linkd.in inx.lv lnkm.at fas.st ppt.cc
    pse.ee 0rz.tw reurl.tw maac.io lurl.cc risu.io psee.io
    dwz.cn t.cn url.cn suo.im dwz.mk w.url.cn iii.im qrs.ly liinks.co linkpop.com linkfly.to bio.site msha.ke
    tr.ee linkr.bio many.link withkoji.com about.me contactin.bio
    """.split()
)
"""Redirects of anyone's: they say nothing about the brand."""

PLATFORMS: Final = frozenset(
    """
    youtube.com youtu.be youtube-nocookie.com google.com goo.gle g.co instagram.com instagr.am twitter.com x.com
    facebook.com fb.com fb.me fb.gg fb.watch m.me tiktok.com twitch.tv discord.gg discord.com discordapp.com
    snapchat.com reddit.com pinterest.com tumblr.com threads.net linkedin.com medium.com substack.com
    patreon.com ko-fi.com buymeacoffee.com paypal.com paypal.me paypal-donate.com streamlabs.com
    streamelements.com gofundme.com kickstarter.com indiegogo.com tipeee.com utip.io donationalerts.com
    donationalerts.ru donatepay.ru boosty.to qiwi.com qiwi.me yasobe.ru yoomoney.ru yandex.ru venmo.com
    mercadopago.com mercadopago.com.br picpay.com pagseguro.com.br
    liberapay.com gumroad.com padrim.com.br apoia.se catarse.me ulule.com fanbox.cc fantia.jp
    soundcloud.com spotify.com spoti.fi open.spotify.com bandcamp.com deezer.com apple.co itunes.com tidal.com
    gaana.com jiosaavn.com saavn.com wynk.in hungama.com anghami.com boomplay.com audiomack.com napster.com
    shazam.com last.fm beatport.com genius.com musixmatch.com incompetech.com ncs.io creativecommons.org
    bensound.com freesound.org monstercat.com giphy.com tenor.com
    lnk.to lnkfi.re fanlink.to ffm.to found.ee orcd.co hypeddit.com song.link album.link odesli.co
    wikipedia.org wikimedia.org imdb.com github.com github.io gitlab.com stackoverflow.com wordpress.com
    blogspot.com blogger.com wixsite.com weebly.com tumblr.com archive.org arxiv.org doi.org kaggle.com
    vk.com telegram.me t.me telegram.org whatsapp.com wa.me ok.ru mail.ru rutube.ru dzen.ru weibo.com bilibili.com
    naver.com naver.me kakao.com daum.net kakaocorp.com afreecatv.com tistory.com nicovideo.jp line.me lin.ee
    ameblo.jp note.com note.mu twitcasting.tv showroom-live.com vimeo.com dailymotion.com dlive.tv
    kick.com rumble.com odysee.com lbry.tv minds.com gab.com parler.com vero.co bsky.app flickr.com vsco.co
    500px.com deviantart.com artstation.com behance.net dribbble.com pixiv.net goodreads.com letterboxd.com
    strava.com myanimelist.net steamcommunity.com roblox.com docs.google.com forms.gle surveymonkey.com
    typeform.com eventbrite.com eventbrite.co.uk meetup.com change.org zoom.us dropbox.com mega.nz mediafire.com
    gmail.com hotmail.com outlook.com yahoo.com icloud.com feedburner.com stitcher.com podbean.com
    anchor.fm acast.com megaphone.fm podtrac.com castbox.fm overcast.fm pca.st radiopublic.com
    begambleaware.org gambleaware.org gamcare.org.uk gamstop.co.uk ncpgambling.org buwei.de
    spielen-mit-verantwortung.de
    resso.app resso.com vevo.ly gleam.io eepurl.com ck.page itch.io booth.pm camp-fire.jp saweria.co toon.at
    ravelry.com
    backerkit.com gamefound.com igg.me locals.com ask.fm younow.com vlive.tv musical.ly imgur.com
    pastebin.com bfan.link band.link ampl.ink linkco.re songwhip.com sptfy.com onerpm.link ditto.fm
    """.split()
)
"""Social networks, funding, streaming, hosting, help for gamblers: part of nearly every description."""

STORES: Final = frozenset(
    """
    amazon.com amazon.co.uk amazon.de amazon.fr amazon.es amazon.it amazon.ca amazon.in amazon.co.jp amazon.com.br
    amazon.com.mx amazon.com.au amazon.nl amazon.se amazon.pl amzn.to amzn.com amzn.eu amzn.asia a.co amazon.com.tr
    ebay.com ebay.co.uk ebay.de ebay.us aliexpress.com aliexpress.ru ali.pub ali.ski s.click.aliexpress.com
    etsy.com etsy.me flipkart.com fkrt.it etsystatic.com walmart.com rakuten.co.jp mercadolivre.com.br
    play.google.com apps.apple.com itunes.apple.com apple.com steampowered.com epicgames.com
    teespring.com spreadshirt.com spreadshirt.de spreadshop.com redbubble.com represent.com merchlabs.com
    districtlines.com dftba.com crowdmade.com fanjoy.co bonfire.com creator-spring.com teepublic.com
    3dsupply.de fangamer.com bigcartel.com myshopify.com threadless.com zazzle.com cafepress.com spri.ng
    youtooz.com makeship.com shirtz.cool fourthwall.com merchbar.com hottopic.com juniqe.com
    kit.co kit.com shopstyle.it rstyle.me liketoknow.it ltk.app shop-links.co
    ebay.to myspreadshop.com geni.us
    shopee.com shopee.com.br shopee.co.id shopee.com.my shopee.ph shopee.sg shopee.co.th shopee.vn shopee.tw
    shopee.pl shopee.com.mx shopee.com.co shopee.cl shope.ee shp.ee
    lazada.com lazada.co.id lazada.com.my lazada.com.ph lazada.sg lazada.co.th lazada.vn lzd.co tokopedia.com
    tokopedia.link bukalapak.com
    mercadolibre.com mercadolibre.com.ar mercadolibre.com.mx mercadolibre.com.co mercadolibre.cl meli.la
    taobao.com tmall.com coupa.ng amzn.in amazon.sa amazon.ae amazon.com.be
    liketk.it mavely.app.link
    coupang.com meesho.com myntra.com myntr.in myntr.it ozon.ru wildberries.ru wb.ru gmarket.co.kr 11st.co.kr qoo10.com qoo10.jp
    """.split()
)
"""Marketplaces, app stores and makers of merchandise: where things are sold, by whomever."""

NETWORKS: Final = frozenset(
    """
    pxf.io sjv.io 7tiv.net evyy.net refersion.com i384100.net ojrq.net 9nl.it imp.i384100.net onelink.me app.link
    grsm.io page.link go.link adj.st hasoffers.com go2cloud.org prf.hn go-ga.me
    bnc.lt partnerlinks.io
    tp.st sng.link smartlink.me goaffpro.com getrewardful.com firstpromoter.com postaffiliatepro.com
    tapfiliate.com uppromote.com leaddyno.com mention-me.com
    """.split()
)
"""Tracking domains whose subdomain is the brand's."""

OPAQUE_NETWORKS: Final = frozenset(
    """
    awin1.com shareasale.com shrsl.com tidd.ly anrdoezrs.net dpbolvw.net jdoqocy.com kqzyfj.com tkqlhce.com
    linksynergy.com click.linksynergy.com avantlink.com avantlink.net webgains.com viglink.com skimlinks.com
    redirectingat.com partnerize.com tradedoubler.com zanox.com belboon.de webmasterplan.com adjust.com
    app.adjust.com appsflyer.com howl.me howl.link magiclinks.com mgln.ai narrativ.com
    idevaffiliate.com admitad.com epn.bz kol.to inflcr.co financeads.net digistore24.com hotmart.com clickbank.net
    a8.net moshimo.com valuecommerce.com accesstrade.net afi-b.com felmat.net linkprice.com cityads.com
    tp.media travelpayouts.com actionpay.net gdeslon.ru salesdoubler.com.ua tradetracker.net daisycon.com
    effiliation.com adcell.de
    lomadee.com afilio.com.br monetizze.com.br eduzz.com kiwify.com.br cuelinks.com linksredirect.com
    earnkaro.com fkrt.cc rakuten-affiliate.com jvzoo.com warriorplus.com pepperjamnetwork.com pjtra.com
    pjatr.com gopjn.com pntra.com pntrs.com pntrac.com flexoffers.com flexlinkspro.com impact.com
    llnwd.net cloudfront.net akamaihd.net akamaized.net amazonaws.com azureedge.net b-cdn.net fastly.net
    """.split()
)
"""Tracking domains, and hosts of files for anybody, that hide the brand; a link there is mostly a commercial one."""

SHOP_HOSTS: Final = frozenset(
    """
    base.shop base.ec thebase.in stores.jp shop-pro.jp cyberbiz.co waca.shop shoplineapp.com shopline.tw
    easystore.co company.site square.site
    mitiendanube.com tiendanube.com lojaintegrada.com.br shopselect.net official.ec handcrafted.jp theshop.jp
    buyshop.jp shopinfo.jp
    """.split()
)
"""Hosts of shops: what stands before them is the shop's own domain."""

NEVER_A_BRAND: Final = SHORTENERS | PLATFORMS | STORES | OPAQUE_NETWORKS

OWN_SHOP_LABELS: Final = ("merch", "shirt", "hoodie", "fanshop", "mystore")
"""Parts of a domain that tell a creator's own shop."""

CAMPAIGN_PREFIXES: Final = (
    "get", "try", "buy", "join", "go", "my", "use", "play", "shop", "drink", "eat", "wear", "meet",
    "hello", "with", "the", "save", "learn", "start", "download",
)  # fmt: skip
"""Words that brands put before their name in the domain of a campaign."""

SHOP_PLATFORMS: Final = frozenset(
    {
        "salla.sa", "zid.store", "myshopify.com", "bigcartel.com", "gumroad.com", "sellfy.store", "fourthwall.com", "spri.ng", "base.shop",
        "base.ec", "stores.jp", "cafe24.com", "lojaintegrada.com.br", "nuvemshop.com.br", "tiendanube.com", "squarespace.com",
        "wixsite.com", "webflow.io",
        "hotmart.com", "teachable.com", "kajabi.com", "podia.com", "thinkific.com", "shopee.co.id", "tokopedia.com",
        "haravan.com", "cyberbiz.co", "shopline.tw",
    }
)  # fmt: skip
"""Sites where anybody has a shop of a subdomain."""

PAYING_PLATFORMS: Final = {
    "discord": "discord.com",
    "facebook": "facebook.com",
    "google": "google.com",
    "instagram": "instagram.com",
    "kickstarter": "kickstarter.com",
    "linkedin": "linkedin.com",
    "patreon": "patreon.com",
    "paypal": "paypal.com",
    "pinterest": "pinterest.com",
    "reddit": "reddit.com",
    "snapchat": "snapchat.com",
    "spotify": "spotify.com",
    "tiktok": "tiktok.com",
    "twitch": "twitch.tv",
    "twitter": "twitter.com",
    "youtube": "youtube.com",
}
"""Platforms by name, which are sponsors where a text thanks them for that, and nowhere else."""
