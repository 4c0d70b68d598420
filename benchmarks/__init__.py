"""Measurements. They print and save tables and never fail for being slow."""
