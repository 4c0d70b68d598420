"""Watches, channels and deliveries in Postgres."""
