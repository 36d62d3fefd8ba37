"""Import in a new process, and what the first run of a constant adds to it."""

FRESH = True
BARS = {"import": 0.6, "first run after it": None}


def workload(tf, np):
    def first_run():
        with tf.Session() as sess:
            return sess.run(tf.constant(1.0) + 2.0)

    return {"first run after it": first_run}
