"""Clients of the services for the stack and for the command line."""
