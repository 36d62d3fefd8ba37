"""tf.python_io: TFRecord files."""

HOMES = {"files.records": "TFRecordCompressionType TFRecordOptions TFRecordWriter tf_record_iterator"}
