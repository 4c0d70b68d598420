"""What the gateway knows without any transport: who calls, what they may, what they get."""
