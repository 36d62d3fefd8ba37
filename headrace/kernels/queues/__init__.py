"""Shared by ops of queues: the queues, their elements and handles."""
