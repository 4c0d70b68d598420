"""Verbs that an offer begins with, in languages that write no more than a price behind them."""

from typing import Final

CALLS_TO_SAVE: Final = frozenset(
    """
    spare spart sichere sichert hol holt erhalte erhaltet bekomme bekommt économise économisez economise economisez profite profitez obtenez ahorra
    ahorrad consigue obtén aproveite economize economiza ganhe risparmia risparmiate ottieni approfitta bespaar krijg oszczędź zgarnij odbierz
    ušetři ušetřete získej spara hemat hematkan tasarruf
    """.split()
)
"""Capitalised verbs that an offer begins with: "Spare 10 % bei Acme"."""
