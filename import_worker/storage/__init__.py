"""Imports in Postgres."""
