"""Batching, prefetching and limits of concurrent work."""
