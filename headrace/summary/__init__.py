"""Summaries of a training run and the event files that TensorBoard shows."""
