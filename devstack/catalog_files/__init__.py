"""Reads files of catalogue data: our own format, raw videos, and channel lists; gzipped or plain."""

from devstack.catalog_files.items import BadLine, CatalogItem
from devstack.catalog_files.reader import read_catalog_files

__all__ = ["BadLine", "CatalogItem", "read_catalog_files"]
