"""What the next videos of a channel can be expected to bring (docs/adr/0065-outlook.md)."""
