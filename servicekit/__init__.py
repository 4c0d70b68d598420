"""What every service process does alike. Nothing here knows what the services are about."""
