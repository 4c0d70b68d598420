"""Clients of YouTube and of the catalog service."""
