"""Saved lists of brands and creators, and the filters by them."""
