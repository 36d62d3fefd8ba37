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
    results[kind + ", its own"] = bool(strategy.extended.variable_created_in_scope(variable))
