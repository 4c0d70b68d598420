"""Names of metadata that services agree on."""

from typing import Final

CATALOG_VERSION: Final = "catalog-version"
"""In the trailing metadata of the catalog's responses: the version of the catalogue that they are of."""
