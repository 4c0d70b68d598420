"""Migrations that run beside a working service: short waits for locks, attempts again, batches, and a plan beforehand."""
