"""Shared by ops of datasets: the datasets themselves, elements and batches, and their forms in files."""
