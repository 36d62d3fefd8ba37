"""tf.contrib.staging: staging areas."""

HOMES = {"functions.queues.staging": "StagingArea"}
