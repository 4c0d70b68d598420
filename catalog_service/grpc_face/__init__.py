"""The catalogue over gRPC."""
