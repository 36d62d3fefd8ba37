"""Summaries that write themselves while the graph runs."""
