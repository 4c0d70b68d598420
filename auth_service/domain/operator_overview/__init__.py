"""The operator's view of a deployment: its processes, imports, backups, accounts and failures."""
