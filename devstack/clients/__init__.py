"""What the command line asks of the services."""
