"""Completions of half-typed arguments: brands, creators and categories of the catalog."""

from gateway.completions._completion import Completer, Completion, CompletionContext
from gateway.completions.catalog import brand_categories, brands, categories, creators

__all__ = [
    "Completer",
    "Completion",
    "CompletionContext",
    "brand_categories",
    "brands",
    "categories",
    "creators",
]
