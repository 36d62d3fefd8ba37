"""tf.contrib.input_pipeline: lists of strings that are walked through."""

HOMES = {"contrib.learn.walking": "seek_next", "ops.state.walking": "obtain_next"}
