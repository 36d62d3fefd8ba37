"""tf.contrib.learn.learn_runner: experiments by a schedule."""

HOMES = {"contrib.learn.learn_runner": "run tune"}
