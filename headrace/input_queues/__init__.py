"""Input pipelines of queues: producers of names and slices, and batches of what comes out."""
