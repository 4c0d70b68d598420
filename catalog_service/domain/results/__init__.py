"""The shapes of answers. Fields have the names of the messages that carry them."""
