"""Records to tensors: Example messages, CSV lines, JSON, serialized tensors, compressed bytes."""
