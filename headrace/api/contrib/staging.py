"""tf.contrib.staging: staging areas."""

HOMES = {"ops.queues.staging": "StagingArea"}
