"""tf.queue: queues under their later names."""

HOMES = {"ops.queues.queues": "FIFOQueue PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue"}
