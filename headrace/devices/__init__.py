"""What is particular to the processor: threads, memory, and loops quicker than the general ones."""
