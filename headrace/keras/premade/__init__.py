"""Models that are ready to be trained."""
