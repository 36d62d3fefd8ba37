"""Queues, barriers, staging areas and accumulators: state that operations put into, take from, and wait for."""
