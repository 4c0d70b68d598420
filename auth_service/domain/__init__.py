"""Accounts, plans, credentials and usage: plain data and functions."""
