"""Passkeys (WebAuthn): discoverable credentials that verify their user."""
