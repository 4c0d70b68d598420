"""Frozen dataclasses of the messages between services."""
