"""tf.contrib.mpi_collectives, which is not here: collective operations over MPI."""

_ADVICE = "train in one process, or build the cluster with tf.train.Server and tf.train.replica_device_setter"

ABSENT = dict.fromkeys(
    (
        "DistributedOptimizer",
        "Session",
        "allgather",
        "allreduce",
        "init",
        "local_rank",
        "rank",
        "size",
    ),
    _ADVICE,
)
