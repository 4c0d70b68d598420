"""The sample catalogue that a fresh stack starts with, and what builds it."""
