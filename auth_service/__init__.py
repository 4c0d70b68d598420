"""The auth service: accounts, plans, credentials, the usage ledger and the audit log."""
