"""Saved lists in Postgres."""
