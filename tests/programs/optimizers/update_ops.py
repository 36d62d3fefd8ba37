"""The update ops themselves: values after several steps, of all rows and of rows that come again, and what is refused."""

import numpy as np
import tensorflow as tf

# Kind: states, the inputs after them, a flag, and whether there are forms for references (&), resources, rows.
KINDS = {
    "GradientDescent": ("var", "alpha delta", None, "& resource"),
    "ProximalGradientDescent": ("var", "alpha l1 l2 delta", None, "& resource rows"),
    "Adadelta": ("var accum accum_update", "lr rho epsilon grad", None, "& resource rows"),
    "Adagrad": ("var accum", "lr grad", "update_slots", "& resource rows"),
    "AdagradV2": ("var accum", "lr epsilon grad", "update_slots", "& resource rows"),
    "AdagradDA": (
        "var gradient_accumulator gradient_squared_accumulator",
        "grad lr l1 l2 global_step",
        None,
        "& resource rows",
    ),
    "ProximalAdagrad": ("var accum", "lr l1 l2 grad", None, "& resource rows"),
    "Ftrl": ("var accum linear", "grad lr l1 l2 lr_power", None, "& resource rows"),
    "FtrlV2": ("var accum linear", "grad lr l1 l2 l2_shrinkage lr_power", None, "& resource rows"),
    "Momentum": ("var accum", "lr grad momentum", "use_nesterov", "& resource rows"),
    "KerasMomentum": ("var accum", "lr grad momentum", "use_nesterov", "resource rows"),
    "Adam": ("var m v", "beta1_power beta2_power lr beta1 beta2 epsilon grad", "use_nesterov", "& resource"),
    "AdamWithAmsgrad": (
        "var m v vhat",
        "beta1_power beta2_power lr beta1 beta2 epsilon grad",
        None,
        "resource",
    ),
    "AdaMax": ("var m v", "beta1_power lr beta1 beta2 epsilon grad", None, "& resource"),
    "RMSProp": ("var ms mom", "lr rho momentum epsilon grad", None, "& resource rows"),
    "CenteredRMSProp": ("var mg ms mom", "lr rho momentum epsilon grad", None, "& resource rows"),
    "AddSign": ("var m", "lr alpha sign_decay beta grad", None, "& resource"),
    "PowerSign": ("var m", "lr logbase sign_decay beta grad", None, "& resource"),
}
NUMBERS = {
    "alpha": 0.1, "l1": 0.05, "l2": 0.02, "lr": 0.1, "rho": 0.9, "epsilon": 1e-3, "lr_power": -0.5, "l2_shrinkage": 0.03,
    "momentum": 0.8, "beta1_power": 0.81, "beta2_power": 0.98, "beta1": 0.9, "beta2": 0.99, "sign_decay": 0.7,
    "beta": 0.9, "logbase": 1.1,
}  # fmt: skip
SIGNED = ("var", "linear", "m", "mom", "gradient_accumulator")

random = np.random.RandomState(0)
gradient = random.normal(size=[4, 3]).astype(np.float32)
gradient[1, 1] = 0.0
starts = {name: random.normal(size=[4, 3]).astype(np.float32) for name in ["var", "accum", "second"]}
ROWS = [(gradient[:3], [2, 0, 3]), (gradient, [1, 2, 1, 1]), (gradient[:0], [])]


def start(name):
    if name in SIGNED:
        return starts["var"] if name == "var" else starts["accum"]
    return 0.1 * starts["second"] if name == "mg" else np.abs(starts["second"]) + 0.5


results = {}
for kind in sorted(KINDS):
    states, rest, flag, forms = KINDS[kind]
    for use_resource in [False, True] if "&" in forms else [True]:
        for rows in [False, True] if "rows" in forms else [False]:
            for flagged in [False, True] if flag else [None]:
                tf.reset_default_graph()
                fed, at = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.int32, [None])
                variables = [tf.Variable(start(n), use_resource=use_resource, name=n) for n in states.split()]
                inputs = {n: v.handle if use_resource else v._ref() for n, v in zip(states.split(), variables)}
                for n in rest.split():
                    if n in ("grad", "delta"):
                        inputs["grad" if rows else n] = fed
                    else:
                        inputs[n] = np.int64(3) if n == "global_step" else NUMBERS[n]
                if rows:
                    inputs["indices"] = at
                if flag:
                    inputs[flag] = flagged
                op_type = ("Resource" if use_resource else "") + ("Sparse" if rows else "") + "Apply" + kind
                update = getattr(tf.raw_ops, op_type)(**inputs)
                with tf.Session() as sess:
                    sess.run(tf.global_variables_initializer())
                    for g, i in ROWS if rows else [(gradient, []), (-0.5 * gradient, [])]:
                        sess.run(update, {fed: g, at: i})
                    results["%s %s" % (op_type, flagged)] = sess.run(variables)

tf.reset_default_graph()
sess = tf.Session()
w = tf.Variable([1.0, 2.0], name="w")
r = tf.Variable([1.0, 2.0], name="r", use_resource=True)
three = tf.Variable([1.0, 2.0, 3.0], name="three")
matrix = tf.Variable(np.ones([3, 2], np.float32), name="matrix")
slot = tf.Variable(np.ones([3, 2], np.float32), name="slot")
fed, at = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
raw = tf.raw_ops
sparse = raw.SparseApplyMomentum(var=matrix._ref(), accum=slot._ref(), lr=1.0, grad=fed, indices=at, momentum=0.5)
refused = results["refused"] = []


def refuse(make, feed=None):
    try:
        sess.run(make(), feed)
    except (ValueError, tf.errors.OpError) as error:
        message = str(error).split("\n")[0]
        if "for '" in message:
            message = message[: message.index("for '")]
        refused.append([type(error).__name__, message])


refuse(lambda: raw.ApplyGradientDescent(var=w._ref(), alpha=1.0, delta=[1.0, 2.0]))
sess.run(tf.global_variables_initializer())
refuse(lambda: raw.ApplyGradientDescent(var=w._ref(), alpha=1.0, delta=fed), {fed: [1.0, 2.0, 3.0]})
refuse(lambda: raw.ApplyGradientDescent(var=w._ref(), alpha=fed, delta=[1.0, 2.0]), {fed: [1.0, 2.0]})
refuse(lambda: raw.ResourceApplyGradientDescent(var=r.handle, alpha=1.0, delta=fed), {fed: [1.0]})
refuse(lambda: raw.ApplyGradientDescent(var=w._ref(), alpha=1.0, delta=[1.0, 2.0, 3.0]))
refuse(lambda: raw.ResourceApplyGradientDescent(var=r.handle, alpha=1.0, delta=[1.0, 2.0, 3.0]))
refuse(lambda: raw.ApplyGradientDescent(var=w._ref(), alpha=[1.0], delta=[1.0, 2.0]))
refuse(lambda: raw.ApplyMomentum(var=w._ref(), accum=three._ref(), lr=1.0, grad=[1.0, 2.0], momentum=0.5))
refuse(lambda: sparse, {fed: [[1.0, 1.0]], at: [3]})
refuse(lambda: sparse, {fed: [[1.0, 1.0], [1.0, 1.0]], at: [0, -1]})
refuse(lambda: sparse, {fed: [[1.0, 1.0, 2.0]], at: [0]})
refuse(lambda: sparse, {fed: [[1.0, 1.0]], at: [0, 1]})
refuse(lambda: sparse, {fed: [[1.0, 1.0]], at: [[0]]})
results["unharmed"] = sess.run([w, r, three])
