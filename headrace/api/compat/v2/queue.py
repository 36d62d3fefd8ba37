"""tf.compat.v2.queue: the names that mean the same in 1.x."""

HOMES = {
    "queue": "FIFOQueue PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue",
}
