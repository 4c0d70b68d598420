"""The gRPC face: what the gateway asks, and what operators do."""
