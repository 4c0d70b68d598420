"""Logs, metrics that are polled, and traces."""
