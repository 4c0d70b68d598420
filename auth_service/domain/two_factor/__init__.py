"""Two-factor authentication: codes of an authenticator app, and recovery codes."""
