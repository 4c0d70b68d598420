"""The prompts. A new one is a function in a file of its own and a line here."""

from typing import Final

from gateway.prompts._prompt import Naming, Prompt, PromptCatalogue, UnknownPrompt
from gateway.prompts.brand_brief import brand_brief
from gateway.prompts.compare_brands import compare_brands
from gateway.prompts.find_sponsors import find_sponsors
from gateway.prompts.new_in_category import new_in_category
from gateway.prompts.outreach_email import outreach_email

__all__ = ["ALL_PROMPTS", "Naming", "Prompt", "PromptCatalogue", "UnknownPrompt"]

ALL_PROMPTS: Final = (find_sponsors, brand_brief, compare_brands, outreach_email, new_in_category)
"""In the order in which they are listed."""
