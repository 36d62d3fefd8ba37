"""What programs call of `tf.contrib.tpu` that only a TPU can do: each call says so, and what to do instead."""

from __future__ import annotations

from headrace.estimator.tpu.refusing import refused, refused_class

_PROGRAM = "build the computation in the graph and run it in a session"
_FEEDING = "use a tf.data.Dataset, since nothing is fed to a TPU"
_DEVICES = "leave it out, since there is nothing to assign"
_KERAS = "call fit of the Keras model itself"

_CALL = "computation, inputs=None"
_REST = "infeed_queue=None, device_assignment=None, name=None"
batch_parallel = refused("contrib.tpu.batch_parallel", f"{_CALL}, num_shards=1, {_REST}", _PROGRAM)
replicate = refused("contrib.tpu.replicate", f"{_CALL}, {_REST}, maximum_shapes=None", _PROGRAM)
rewrite = refused("contrib.tpu.rewrite", f"{_CALL}, {_REST}", _PROGRAM)
shard = refused(
    "contrib.tpu.shard",
    f"{_CALL}, num_shards=1, input_shard_axes=None, outputs_from_all_shards=True, output_shard_axes=None, {_REST}",
    _PROGRAM,
)
cross_replica_sum = refused(
    "contrib.tpu.cross_replica_sum",
    "x, group_assignment=None, name=None",
    "use the tensor itself, since there is one replica",
)
initialize_system = refused("contrib.tpu.initialize_system", "embedding_config=None, job=None", _DEVICES)
initialize_tpu_system = refused("tpu.experimental.initialize_tpu_system", "cluster_resolver=None", _DEVICES)
shutdown_system = refused("contrib.tpu.shutdown_system", "job=None", _DEVICES)
device_assignment = refused(
    "contrib.tpu.device_assignment",
    "topology, computation_shape=None, computation_stride=None, num_replicas=1",
    _DEVICES,
)
keras_to_tpu_model = refused("contrib.tpu.keras_to_tpu_model", "model, strategy=None", _KERAS)
infeed_dequeue = refused("contrib.tpu.infeed_dequeue", "dtype, shape, name=None", _FEEDING)
infeed_dequeue_tuple = refused("contrib.tpu.infeed_dequeue_tuple", "dtypes, shapes, name=None", _FEEDING)
infeed_enqueue = refused(
    "contrib.tpu.infeed_enqueue", "input, shape=[], layout=[], device_ordinal=-1, name=None", _FEEDING
)
infeed_enqueue_tuple = refused(
    "contrib.tpu.infeed_enqueue_tuple", "inputs, shapes, layouts=[], device_ordinal=-1, name=None", _FEEDING
)
outfeed_dequeue = refused("contrib.tpu.outfeed_dequeue", "dtype, shape, device_ordinal=-1, name=None", _FEEDING)
outfeed_dequeue_tuple = refused(
    "contrib.tpu.outfeed_dequeue_tuple", "dtypes, shapes, device_ordinal=-1, name=None", _FEEDING
)
outfeed_enqueue = refused("contrib.tpu.outfeed_enqueue", "input, name=None", _FEEDING)
outfeed_enqueue_tuple = refused("contrib.tpu.outfeed_enqueue_tuple", "inputs, name=None", _FEEDING)
DeviceAssignment = refused_class("contrib.tpu.DeviceAssignment", "topology, core_assignment", _DEVICES)
InfeedQueue = refused_class(
    "contrib.tpu.InfeedQueue",
    "number_of_tuple_elements=None, tuple_types=None, tuple_shapes=None, shard_dimensions=None, name=None",
    _FEEDING,
)
TPUDistributionStrategy = refused_class(
    "contrib.tpu.TPUDistributionStrategy", "tpu_cluster_resolver=None, using_single_core=False", _KERAS
)
Topology = refused_class("contrib.tpu.Topology", "serialized=None, mesh_shape=None, device_coordinates=None", _DEVICES)
