"""The gateway: `POST /mcp`, authentication, quota; tool calls go on to the services over gRPC."""
