"""Sequence to sequence models: decoders, attention, beam search, and their loss."""
