"""Exports: lists of results as files, behind a link that lives an hour."""
