"""Graphs as MetaGraphDefs with their collections, branches and loops as messages, and PyTorch functions as operations."""
