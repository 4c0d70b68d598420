"""gRPC servers, clients, persistent streams, TLS and the codec of messages."""
