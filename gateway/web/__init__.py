"""The gateway's HTTP application and the documents that it serves beside `/mcp`."""
