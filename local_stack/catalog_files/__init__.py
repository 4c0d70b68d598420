"""Reads files of catalogue data: our own format, raw videos, and channel lists; gzipped or plain."""

from local_stack.catalog_files.items import BadLine, CatalogItem
from local_stack.catalog_files.reading import read_catalog_files

__all__ = ["BadLine", "CatalogItem", "read_catalog_files"]
