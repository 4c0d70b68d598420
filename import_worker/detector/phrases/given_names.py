"""Given names of persons: who is thanked for a loan by one alone, or by one and a family's name, is no company."""

import re
from typing import Final

_LATIN: Final = """
    adam adrian ahmed ahmet alan albert alejandro alejandra alessandro alex alexander alexandra alfredo alice alicia ali alina amanda amelia amy ana
    anders andre andrea andreas andrei andrew andrzej andy anita ann anna anne annika antoine anton antonio ashley astrid aylin barbara beata ben benjamin bernd
    bianca bill bob brandon brian bruno camila camille carla carlos carmen carolina caroline cathy charlotte chloe chris christian christina christine
    christoph claire claudia clemens craig cristina daniel daniela danny dave david deborah denise dennis diana diego dirk dmitry dominik donna doug
    eduardo elena elif eliza elizabeth ella emil emily emma emre eric erik ernesto eva evan fabian fatma federico felipe felix fernanda fernando filip
    florian francesca francesco francisco frank fredrik gabriel gabriela gareth gary george georgia gerhard gianni giulia giovanni gonzalo greg greta
    guillaume gustavo hannah hans harry hasan heather heidi heinz helen helena henrik holger hugo hüseyin ian igor ingrid irina isabel isabelle ivan jack jacob
    jakob jakub james jan jana jane janet jason javier jean jeff jennifer jens jeremy jerry jessica jim joan joanna joao joe johan johannes john johnny jon
    jonas jonathan jorge jose joseph josh joshua juan juha juho julia julian julie jürgen justin karen karin karl karolina katarzyna kate katherine kathy
    katie katja keith kelly ken kevin kim klaus kristian kristina kyle lars laura lauren leah lena leon leonardo linda lisa liam lorenzo luc luca
    lucas lucia luigi luis lukas luke magdalena manuel marc marcel marcin marco marcus margaret maria marie marina mario marion mark marko markus marta martin
    martina mary mateo mathias matt matteo matthew matthias maurizio mauro maximilian mehmet melanie melissa michael michał michel michelle miguel mika
    mike mikael milan miloš mohamed monica monika murat mustafa nadia nadine natalia natalie nathalie nathan nicola nicolas nicole niels nikola nikolai nina
    oliver olivia olga oskar pablo paola paolo patricia patrick paul paula paulo pavel pedro peter petr philip philipp philippe pierre piotr rachel rafael ralf raul
    rebecca ricardo richard rick rob robert roberto robin rodrigo roland ron rosa ross ruth ryan sabine sally salvatore sam samantha samuel sandra sara sarah sean
    sebastian sergio sharon silvia simon simone sofia sonja sophie stefan stefania stefano steffen stephan stephanie stephen steve steven stuart susan susanne
    sven svetlana tanja tanya teresa theo thomas tim timo tina tobias todd tom tomas tomasz tommaso tommy tony tyler ulrich ursula uwe valentina vanessa vera
    adele agnes agnieszka aidan albin aleksandra alexis alfonso alison alma alvaro alvin amanda amir amira andrej angela angelo anja anke anneke annette annie antje antonia april ariane arjun armin
    arne arnaud arthur arturo asha audrey axel ayşe bartek beata beatrice beatriz becky benedikt benoit bernard bert beth bettina björn bogdan bojan boris brenda brigitte bruce bryan caleb callum carl carol cecilia celine
    cesar chiara clara claude claus clemence colin conor corinna dagmar damien dan darren dawid dean debbie dimitri dina dorothea dot dylan edgar edith eileen ekaterina eleanor eleni elin elisa elisabeth elise ella
    elke ellen elsa emilia emilie enrico enzo erin erika ernst esteban esther eugen eugene fabio fabrice farah fatima felicia ferdinand fiona fabien franz fred freddie freya frieda fritz gabriele gavin geoff gerald
    gilles gina giorgio giovanna giuseppe gordon graham grace guido gunther gustav hamza hans-peter harald hassan hazal hector heike heiner helga helmut henri herbert hilda howard ibrahim ignacio ilona imran inga
    ines iris isaac isabella ismail jackie jaime jamie janina jannis jared jarek jasmin jasmine javad jean-luc jean-michel jean-paul jeanne jenny jerome jesse jill joachim joana jochen joel joel jonny jordi josef josefina
    josephine juan-carlos judith juliette julien kamil karin karsten kaspar kathrin kathleen katrin kenneth kirsten klara konrad krzysztof kurt larissa larry laurent leila leo leonie leonor lewis lionel lorena louis louise
    lucie ludwig lukasz lydia lynn magda maja malcolm malik malte manfred manon manuela mara marcelo marek margot marianne marissa marius marlene marta maryam mathieu mats maureen maurice max maya meg mehdi mercedes
    merle mia michal michaela mila mina miriam mirko mohammed moritz nancy nathalia ned neil nelson nico nigel nils nina noah noel nora norbert olaf ole omar orlando oscar otto pascal patrik pat patty peggy penelope percy phil
    phoebe pia piet quentin rajesh ralph ramon raphael raquel ray regina reinhard rene renate rita rolf romain rosie rudi rudolf rui rupert sabrina said sami samira sascha saskia serge sheila sigrid silke silvio sina
    sonia sören stella stig sue sunita susana sybille sylvain sylvie tamara tara tatiana ted terry tess thea theresa thibault thierry thorsten tilda tilly till tobi trevor tristan tullio ulla ulrike urs valerie vanja vasco
    vicky vincenzo violeta virginia wanda wayne werner wilhelm willem willi wilma wojciech wojtek xavier yann yara yolanda yvonne zara zeynep zofia
    veronica victor victoria viktor vincent vladimir walter wendy werner william wolfgang yannick yasemin yusuf zach zoe
"""

_CYRILLIC: Final = (
    "александр алексе алён алл андре анастаси ани анн антон артём артем борис вадим валентин валери василис васили вер виктор виктори виталь витали владимир"
    " владислав галин георги григори даниил данил дарь денис дмитри евген евгени екатерин елен иван игор ильин иль ирин кирилл констант константин ксени ларис"
    " лен леонид люб людмил максим мари марин матве михаил надежд наталь наталь никит никола окс оксан олег олен ольг павл пётр петр полин роман руслан"
    " светлан семён семен серге станислав степан татьян тимур фёдор федор юли юри ян яросла андрі василь дмитр іван катерин микол михайл олександр петр сергі тетян юлі"
)

GIVEN_NAMES: Final = frozenset(_LATIN.split())

_ENDINGS: Final = r"(?:[аеёиіїйоуыьэюя]|ей|ой|ою|ею|ём|ем|ом|ев|ию|ии|ье|ью|ья|ья|іє|ію|ія|ові|ю)?"
_INFLECTED: Final = re.compile(rf"(?:{'|'.join(sorted(set(_CYRILLIC.split())))}){_ENDINGS}")
_BOTH: Final = 2


def is_person(name: str) -> bool:
    """Return whether a name is a given one alone, or a given one with a family's name."""
    words = name.lower().split()
    if not words or len(words) > _BOTH:
        return False
    return words[0] in GIVEN_NAMES or _INFLECTED.fullmatch(words[0]) is not None
