"""Streamable HTTP: requests, server-sent events, CORS and authentication."""
