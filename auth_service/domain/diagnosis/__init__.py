"""Checks of what the auth service depends on, for operators."""
