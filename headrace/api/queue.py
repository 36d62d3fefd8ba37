"""tf.queue: queues under their later names."""

HOMES = {"functions.queues.queues": "FIFOQueue PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue"}
