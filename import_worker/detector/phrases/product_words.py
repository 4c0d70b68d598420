"""Words for what a company makes or sells: alone they name no company, as in "Chair: Acme"."""

from typing import Final

PRODUCT_WORDS: Final = frozenset(
    """
    chair chairs desk desks keyboard keyboards mouse mic mics monitor lens lenses tripod lighting mousepad headphones earphones gameserver servers hosting clothes clothing apparel
    shoes boots jacket hats beanie gloves helmet helmets supplements vitamins protein snacks meals mealkit coffee tea knife knives pan pans rods rod reel reels lure lures bait wheels tires tyres
    bike bikes tools paint lumber rugs rug lamp lamps curtains mattress sofa furniture insurance hotel hotels flights flight rental tent tents notes lessons lesson ebook ebooks workbook
    makeup lipstick mascara jewelry jewellery nails hair wigs glasses sunglasses contacts toothbrush drinks drink energydrink statistics stats tickets parts https http www website
    silla sillas ropa ordenador teclado ratón auriculares zapatillas suplementos gafas casco comida hoteles vuelos seguro apuntes entradas libro libros camiseta camisetas herramientas muebles
    cadeira cadeiras roupa roupas fone fones tênis ingresso ingressos loja lojas apostila apostilas livro livros estatísticas energético suplemento camiseta camisas ferramentas móveis seguro
    chaise fauteuil clavier souris casque écouteurs vêtements chaussures compléments serveur serveurs billets billetterie livre livres lunettes outils meubles assurance boisson
    stuhl stühle tisch tastatur maus kopfhörer kleidung klamotten schuhe server gameserver notizen buch bücher strom energydrink tassen brille werkzeug möbel versicherung getränk getränke bekleidung
    sedia tastiera vestiti scarpe biglietti negozio libri occhiali attrezzi integratori krzesło fotel klawiatura myszka słuchawki ubrania ciuchy buty sklep bilety książka okulary narzędzia meble odżywki
    židle klávesnice myš sluchátka oblečení boty vstupenky kniha stoel toetsenbord muis kleding schoenen winkel kaartjes boek bril gereedschap sandalye klavye kıyafet ayakkabı mağaza bilet kitap
    kursi baju sepatu tiket buku toko kacamata ghế quần giày vé sách кресло стул стол клавиатура мышь мышка наушники одежда обувь магазин билеты книга книги сервер очки инструмент инструменты мебель страховка
    крісло одяг взуття магазин квитки stol tangentbord kläder skor biljetter bok klær sko billetter bøger tøj tuoli vaatteet kengät liput kirja καρέκλα ρούχα παπούτσια εισιτήρια
    """.split()
)
