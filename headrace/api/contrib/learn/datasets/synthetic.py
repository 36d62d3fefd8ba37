"""tf.contrib.learn.datasets.synthetic: points in classes that no line separates."""

HOMES: dict[str, str] = {"datasets.synthetic": "circles spirals"}
