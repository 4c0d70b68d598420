"""Put the use cases of the auth service together from its settings: a module for each subject."""
