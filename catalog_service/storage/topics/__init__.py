"""Searches of the words of titles and descriptions."""
