"""CSV files read with queue runners: lines parsed singly and batched, and one by one as the how-to guides show it."""

import os
import tempfile

BARS = {"1,200 records, one a step": 1.0, "12,800 records in batches of 128": 1.0}


def workload(tf, np):
    folder = tempfile.mkdtemp()
    names = [os.path.join(folder, "part%d.csv" % i) for i in range(3)]
    random = np.random.RandomState(0)
    for name in names:
        with open(name, "w") as file:
            for row in random.rand(400, 4):
                file.write("%.1f,%.1f,%.1f,%.1f,kind-%d\n" % (*row, len(names)))
    tf1 = getattr(tf, "compat", tf).v1 if hasattr(getattr(tf, "compat", None), "v1") else tf

    def example():
        queue = tf1.train.string_input_producer(names)
        _, line = tf1.TextLineReader().read(queue)
        columns = tf1.decode_csv(line, record_defaults=[[1.0], [1.0], [1.0], [1.0], [""]])
        return tf.stack(columns[:4]), columns[4]

    def pipeline(steps, fetch):
        def run():
            with tf.Graph().as_default():
                fetches = fetch(example())
                with tf1.Session() as sess:
                    coord = tf1.train.Coordinator()
                    threads = tf1.train.start_queue_runners(sess=sess, coord=coord)
                    for _ in range(steps):
                        sess.run(fetches)
                    coord.request_stop()
                    coord.join(threads)

        return run

    return {
        "1,200 records, one a step": pipeline(1200, list),
        "12,800 records in batches of 128": pipeline(
            100, lambda tensors: tf1.train.batch(list(tensors), 128, capacity=1000)
        ),
    }
