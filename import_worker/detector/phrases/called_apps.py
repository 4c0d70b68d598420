"""Calls to download an app or to book a service whose name stands beside the verb, in scripts without capitals and in Turkish."""

import re
from typing import Final

CALLED_APP: Final = re.compile(
    r"(?:打开|打開|下载|下載|预约|預約|安装|安裝|注册|註冊|体验|體驗)(?:一下)?(?:app)? ?\"(?P<chinese>[^\"\n]{2,20})\""
    r"|\"(?P<japanese>[^\"\n]{2,20})\"(?:の?アプリ)?(?:を|に)?(?:今すぐ|無料で|無料)?(?:ダウンロード|インストール|登録|予約)"
    r"|(?P<korean>[가-힣A-Za-z\d]{2,12}) ?(?:앱|어플)(?:을|를)? ?(?:깔|다운|설치|받아|받으)"
    r"|(?P<hindi>[\u0900-\u097f]{2,16}(?: [\u0900-\u097f]{2,16})?) (?:ऐप|एप|ऐप्प)(?: को)? (?:डाउनलोड|इंस्टॉल|इन्स्टॉल)"
    r"|(?:حم\u0651?ل(?:وا|ي)?|نز\u0651?ل(?:وا|ي)?|جر\u0651?ب(?:وا)?) (?:تطبيق|برنامج) \"?(?P<arabic>[\u0621-\u064a]{3,16}(?: (?!و|من|على|الآن|مجان)[\u0621-\u064a]{3,16})?)"
    r"|(?:โหลด|ดาวน์โหลด)แอป(?:พลิเคชัน|พลิเคชั่น)? ?(?P<thai>[\u0e01-\u0e4e]{3,20})(?= )"
)
"""Each group holds the name in one script."""

NO_APP: Final = re.compile(
    r"القناة|قنات|تطبيق|저희|우리|^내$|हमार|मेर|अपन|चैनल|我的|我们|我們|本频道|本頻道|设置|設置|設定|評論|评论|链接|連結|リンク|概要欄|ช่อง|ของเรา"
)
"""Words for what is the creator's own, and for places of a page, which are no app's name."""
