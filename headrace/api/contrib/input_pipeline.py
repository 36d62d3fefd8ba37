"""tf.contrib.input_pipeline: lists of strings that are walked through."""

HOMES = {"contrib.learn.input_pipeline": "seek_next", "ops.state.input_pipeline": "obtain_next"}
