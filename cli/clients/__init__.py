"""Clients of the services for the commands alone."""
