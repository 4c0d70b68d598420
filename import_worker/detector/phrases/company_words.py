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
