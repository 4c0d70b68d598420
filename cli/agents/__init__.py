"""Configuration files of AI clients, and what is written to them so that they reach the service."""
