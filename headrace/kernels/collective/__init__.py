"""Collectives: what each member gives, and what comes of it for all."""
