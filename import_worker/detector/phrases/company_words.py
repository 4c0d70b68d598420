"""Words for a company's trade that end its name."""

from typing import Final

TRADES: Final = {
    "food": """
        bakery bakeries bakehouse patisserie boulangerie bäckerei coffee roasters roastery brewery brewing brewers distillery distillers
        vineyard vineyards winery orchard orchards creamery butchers butchery delicatessen farms chocolatier confectionery bistro diner pizzeria
        """,
    "home": "hardware cutlery carpentry joinery upholstery pottery potteries plumbing roofing flooring lumber",
    "fashion": "tailors tailoring knitwear swimwear millinery jewellers jewelers jewellery jewelry",
    "beauty": "perfumery salon barbers",
    "travel": "resort resorts lodge hostel cruises",
    "audio-books": "bookshop bookstore publishing publishers",
}
"""Words for a company's trade that end its name, by the category of the directory that they fit: "Acme Bakery"."""

COMPANY_LAST: Final = frozenset(
    """
    rental rentals hire tiles cutlery knives blades tools toolworks works workshop boats boatworks yachts marine cycles bikes bicycles motors motorcycles tyres
    tires wheels suspension racing guitars amps amplification pedals drums audio acoustics optics cameras lenses lighting lights electronics computers robotics
    gear outdoors outfitters supply supplies equipment apparel clothing clothes wear footwear shoes boots bags leather leatherworks textiles fabrics yarns
    furniture interiors ceramics kitchens cookware mattress mattresses bedding candles cosmetics skincare beauty fragrances botanicals nutrition supplements
    foods snacks tea teas coffee chocolate spices wines spirits meats seafood farm nursery seeds plants pets aquatics toys games studios software apps labs
    technologies technology tech systems solutions industries manufacturing engineering construction insurance bank capital travel tours expeditions safaris
    hotel hotels inn suites villas cabins glamping campsite camping restaurant kitchen cafe café bar pub catering gym fitness clinic dental pharmacy store stores
    shop market mart outlet company co corp group brands agency
    werke werkstatt manufaktur verleih autohaus bikes brauerei weingut hof gasthof möbel küchen schuhe bücher verlag apotheke handel versand reisen
    boutique ateliers meubles voyages vélos cycles vins fleurs opticiens éditions boulangerie
    zelte fahrräder getränke kaffee fietsen schoenen meubelen wax oils brakes trailers saddles socks boards bakes rugs stoves tents canoes kayaks skis
    helmets glasses eyewear sports appliances interactive paints timber steel soaps ovens mills
    tienda muebles viajes bicicletas motos bodegas óptica ediciones modas móveis viagens calçados joias roupas ateliê
    mobili viaggi biciclette calzature gioielli sklep meble rowery wydawnictwo
    """.split()
)
"""Words that end the names of companies: "Acme Rental". A person's name never ends so."""

COMPANY_FIRST: Final = frozenset(
    """
    hotel hostel motel hostal pousada riad villa camping restaurant restaurante ristorante trattoria pizzeria pizzaria café cafe bar bistro brasserie osteria
    atelier ateliê taller studio autohaus autosalon garage brauerei weingut gasthof gasthaus bäckerei metzgerei schreinerei tischlerei fahrrad zweirad möbel
    maison boulangerie pâtisserie domaine château bodega bodegas viveros muebles tienda librería óptica loja livraria padaria móveis cervejaria churrascaria
    agriturismo rifugio cicli officina pasticceria panificio caseificio falegnameria cantina azienda birrificio frantoio gelateria ferramenta libreria sartoria tessuti
    ceramiche maglificio rocódromo cerámica cerámicas ferretería carpintería panadería pastelería floristería zapatería bicicletas neumáticos repuestos cafetería
    quesería cerâmica confeitaria floricultura marcenaria ferragens fogões calçados tintas oficina rações posto supermercado
    menuiserie quincaillerie librairie fromagerie peintures amortisseurs meubles cycles fleurs tissus chaussures ferme
    fietsen bakkerij bouwbedrijf slagerij brouwerij drukkerij kwekerij wypożyczalnia piekarnia cukiernia pracownia stolarnia warsztat palarnia drukarnia kwiaciarnia szkutnia odzież
    toko pt cv warung bengkel rumah kedai kopi kecap sablon cửa tiệm công nhà gốm xưởng trà
    دار شركة متجر مطعم مقهى مصنع مجموعة
    sklep firma hurtownia browar hotelu restauracja магазин студия салон компания фабрика мастерская отель ресторан
    """.split()
)
"""Words that begin the names of companies: "Hotel Acme"."""

LEGAL_FORMS: Final = frozenset(
    """
    gmbh ag kg ohg ug ltd limited llc inc incorporated plc llp sarl sas sasu sa srl spa snc sl slu lda ltda eireli bv nv vof ab as aps oy oyj asa kft zrt
    sro doo dooel ooo оао ооо зао ип pty pvt sdn bhd tbk şti aş a.ş jsc
    """.split()
)
"""Abbreviations of legal forms that end, or in some languages begin, a company's name."""

UNSPACED_COMPANY: Final = (
    "株式会社", "有限会社", "有限公司", "商店", "商会", "工房", "製作所", "旅館", "酒店", "食品", "書店", "(주)", "주식회사", "공방", "식당", "카페", "호텔",
)  # fmt: skip
"""Parts of companies' names in scripts without blanks between words."""
