"""TFRecord files: many short records written and read, plain and with gzip, and a few long ones."""

import os
import tempfile

BARS = {
    "write 20,000 records": 1.0,
    "read 20,000 records": 1.0,
    "read 20,000 records, gzip": 1.0,
    "read 64 records of 1 MB": 1.0,
}


def workload(tf, np):
    folder = tempfile.mkdtemp()
    records = [np.random.RandomState(i % 100).bytes(150 + i % 100) for i in range(20000)]
    long_records = [np.random.RandomState(i).bytes(1 << 20) for i in range(64)]
    io = tf.python_io
    gzip = io.TFRecordOptions(io.TFRecordCompressionType.GZIP)

    def write(name, contents, options=None):
        with io.TFRecordWriter(os.path.join(folder, name), options) as writer:
            for record in contents:
                writer.write(record)

    def read(name, options=None):
        count = 0
        for record in io.tf_record_iterator(os.path.join(folder, name), options):
            count += len(record)
        return count

    write("short", records)
    write("short.gz", records, gzip)
    write("long", long_records)
    return {
        "write 20,000 records": lambda: write("written", records),
        "read 20,000 records": lambda: read("short"),
        "read 20,000 records, gzip": lambda: read("short.gz", gzip),
        "read 64 records of 1 MB": lambda: read("long"),
    }
