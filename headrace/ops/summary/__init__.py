"""Summaries: values of a step as Summary messages, and the files they are written to."""
