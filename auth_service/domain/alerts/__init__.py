"""Alerts: watches of accounts, the channels that they go to, and the deliveries."""
