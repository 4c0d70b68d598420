"""Clients of other services: mail servers, login providers, the import worker, client documents."""
