"""Shared by ops of summaries: the messages."""
