"""What is set for the whole process, as the `ConfigProto` of a session that is given none."""

from __future__ import annotations

from headrace.devices.process_settings import settings
from headrace.messages import protos

# Of `tf.config.optimizer`'s options, those that are bools in a `RewriterConfig` and no toggles.
_BOOLS = ("disable_model_pruning", "disable_meta_optimizer")


def process_config() -> protos.ConfigProto:
    """A new `ConfigProto` with the devices, threads, placement and optimizer options of the process."""
    config = protos.ConfigProto()
    counts = {"CPU": 0, "GPU": 0}
    for device in settings.visible:
        counts[device.device_type] += len(settings.virtual_devices.get(device, (device,)))
    config.device_count.update(counts)
    if counts["GPU"]:
        numbers = [device.name.rpartition(":")[2] for device in settings.visible if device.device_type == "GPU"]
        config.gpu_options.visible_device_list = ",".join(numbers)
    config.intra_op_parallelism_threads = settings.intra_op_threads or 0
    config.inter_op_parallelism_threads = settings.inter_op_threads or 0
    config.allow_soft_placement = bool(settings.soft_placement)
    config.log_device_placement = bool(settings.log_placement)
    if settings.jit:
        config.graph_options.optimizer_options.global_jit_level = protos.OptimizerOptions.ON_1
    if settings.optimizer_options:
        rewrites = config.graph_options.rewrite_options
        known = rewrites.DESCRIPTOR.fields_by_name
        for name, value in settings.optimizer_options.items():
            if name == "min_graph_nodes" or name in _BOOLS:
                setattr(rewrites, name, value)
            elif name in known and value is not None:
                setattr(rewrites, name, rewrites.ON if value else rewrites.OFF)
    return config


def session_config(config: protos.ConfigProto | None) -> protos.ConfigProto:
    """The `ConfigProto` of a session that is given `config`: without one that of the process.

    Where the process has asked for half precision in all graphs, it asks for it, too.
    """
    config = process_config() if config is None else config
    rewrites = config.graph_options.rewrite_options
    if settings.optimizer_options.get("auto_mixed_precision") and rewrites.auto_mixed_precision != rewrites.OFF:
        changed = protos.ConfigProto()
        changed.CopyFrom(config)
        changed.graph_options.rewrite_options.auto_mixed_precision = rewrites.ON
        return changed
    return config
