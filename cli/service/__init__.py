"""The service as people at a terminal use it: login, calls of tools, results as text."""
