"""Clients of the services for the command line."""
