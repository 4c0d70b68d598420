"""The gateway's domain, without any transport: elicitation, tasks, idempotency and the result cache."""
