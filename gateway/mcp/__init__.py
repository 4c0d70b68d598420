"""`POST /mcp`: every revision of the protocol on one endpoint, for AI clients and bare scripts."""
