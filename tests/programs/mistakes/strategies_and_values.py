"""What libraries call of strategies, with variables, places and reductions that are none."""

import tensorflow as tf

results = {}
OTHERS = {"nothing": None, "number": 3, "text": "x", "list": [], "truth": True}
STRATEGIES = {
    "one device": tf.distribute.OneDeviceStrategy("/cpu:0"),
    "mirrored": tf.distribute.MirroredStrategy(["/cpu:0"]),
    "default": tf.distribute.get_strategy(),
}
ACTS = {
    "reduction": lambda extended, other, variable: extended.reduce_to(other, 1.0, variable),
    "place": lambda extended, other, variable: extended.reduce_to(tf.distribute.ReduceOp.SUM, 1.0, other),
    "places": lambda extended, other, variable: extended.broadcast_to(1.0, other),
    "created": lambda extended, other, variable: extended.variable_created_in_scope(other),
    "updated": lambda extended, other, variable: extended.update(other, lambda v: v.assign(2.0)),
    "read": lambda extended, other, variable: extended.read_var(other),
    "reduced along an axis": lambda extended, other, variable: extended._container_strategy().reduce(
        other, tf.ones([2]), axis=0
    ),
    "dataset": lambda extended, other, variable: extended._container_strategy().make_dataset_iterator(other),
    "config": lambda extended, other, variable: extended._container_strategy().update_config_proto(other),
    "arrays": lambda extended, other, variable: extended._container_strategy().experimental_make_numpy_dataset([other]),
    "devices": lambda extended, other, variable: extended.update_non_slot(other, lambda: 1),
}


def kind_of(act, *args):
    try:
        act(*args)
    except Exception as error:
        return type(error).__name__
    return "made"


for kind in sorted(STRATEGIES):
    strategy = STRATEGIES[kind]
    with strategy.scope():
        variable = tf.get_variable(kind.replace(" ", "_"), [])
    for act in sorted(ACTS):
        for other in sorted(OTHERS):
            if kind == "default" and (act in ("updated", "devices", "places") or (act, other) == ("place", "nothing")):
                continue
            results["%s, %s: %s" % (kind, act, other)] = kind_of(ACTS[act], strategy.extended, OTHERS[other], variable)
    config = strategy.update_config_proto(tf.ConfigProto())
    results[kind + ", isolated"] = bool(config.isolate_session_state)
    results[kind + ", its own"] = bool(strategy.extended.variable_created_in_scope(variable))

for device in [None, (), "", 3, ["a"]]:
    results["device %r" % (device,)] = kind_of(lambda: tf.distribute.OneDeviceStrategy(device))
communication = kind_of(lambda: tf.distribute.experimental.MultiWorkerMirroredStrategy(3))
results["communication"] = communication
