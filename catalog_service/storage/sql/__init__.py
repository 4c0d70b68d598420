"""Callers' SQL: its syntax is checked, and it runs as a role that can read the dataset alone."""
