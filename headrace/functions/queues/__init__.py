"""Queues, staging areas, barriers and accumulators as objects."""
