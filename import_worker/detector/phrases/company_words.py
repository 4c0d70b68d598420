"""Words that stand behind a brand's name: for a company's trade, and for what a brand adds to its own name."""

from typing import Final

TRADES: Final = {
    "food": """
        bakery bakeries bakehouse patisserie boulangerie bäckerei coffee roasters roastery teas brewery brewing brewers distillery distillers
        vineyard vineyards winery wines orchard orchards creamery dairy butchers butchery deli delicatessen farm farms chocolatier
        chocolates confectionery kitchen kitchens bistro diner grill pizzeria
        """,
    "home": """
        hardware cutlery carpentry joinery furniture upholstery bedding linens ceramics pottery potteries plumbing roofing flooring
        interiors lumber timber tiles tools
        """,
    "fashion": "tailors tailoring knitwear leather leathers swimwear lingerie millinery jewellers jewelers jewellery jewelry",
    "beauty": "cosmetics skincare perfumes perfumery fragrances salon barbers soaps",
    "travel": "travel travels tours resort resorts lodge hostel cruises expeditions",
    "audio-books": "books bookshop bookstore publishing publishers press",
    "streaming": "films pictures cinema theatre theater",
    "sport": "darts tackle coolers archery golf surfboards skateboards snowboards canoes kayaks anglers angling",
    "automotive": "motors garage tyres autos",
    "pets": "kennels aquatics",
    "finance": "attorneys solicitors accountants brokers realty",
    "other": "nursery nurseries florist florists stationery toys instruments guitars pianos",
}
"""Words for a company's trade that end its name, by the category of the directory that they fit: "Acme Bakery"."""

OWN_ADDITIONS: Final = frozenset(
    """
    plus pro premium prime max ultra mini air lite go one basic elite gold platinum sapphire business enterprise teams team personal
    family kids junior home studio labs lab ai app apps mobile web online digital cloud desktop browser extension calendar mail drive
    docs maps search assistant copilot vpn api os tv radio news sport sports music video podcast podcasts games gaming play
    store shop market marketplace outlet official club rewards points pass card cards pay wallet wallets bank banking invest investing
    insurance health finance financial capital credit loans loan savings mortgage money internet fiber fibre broadband energy electric motors racing
    phone phones watch watches ring rings laptop laptops tablet tablets pods buds earbuds headphones speaker speakers camera cameras
    tv tvs mattress mattresses pillow pillows bed beds sheets shoes boots sneakers clothing apparel wear footwear bags bag backpack backpacks luggage
    bikes bike bicycle bicycles helmets helmet tracker trackers collar collars filter filters bottle bottles kit kits box boxes bundle
    supplements vitamins protein greens meals snacks drinks drink water cookies chocolate icecream razors razor shampoo deodorant soap body skin
    trial membership subscription gift code codes coupon discount deal sale offer
    company co inc ltd llc plc gmbh ag sa corp corporation group holding holdings international global worldwide partners foundation
    uk usa us eu europe america canada australia india japan korea china taiwan deutschland germany france italia italy españa spain
    méxico mexico brasil brazil polska türkiye nederland asia africa nordic österreich schweiz latam london
    """.split()
)
"""Words that a brand puts behind its own name for a product, a form of company, or a country: it is still the brand."""
