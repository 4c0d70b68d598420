"""Monthly quota and burst limits, exact over all gateways."""
