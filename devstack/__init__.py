"""The stack on one machine, on embedded engines, and the `sponsorgraph` command line."""
