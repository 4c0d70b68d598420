"""The services behind the gateway, over gRPC."""
