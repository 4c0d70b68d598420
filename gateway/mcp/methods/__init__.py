"""The methods of the protocol, one module each."""
