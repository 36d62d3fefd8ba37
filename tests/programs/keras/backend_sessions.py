"""tf.keras.backend: functions of values, sessions, variables, the learning phase, and names counted."""

import numpy as np
import tensorflow as tf

K = tf.keras.backend
results = {}


def said(function, *args, **keywords):
    try:
        return function(*args, **keywords)
    except (ValueError, TypeError, AttributeError) as error:
        return [type(error).__name__, str(error)]


ones = np.ones((2, 3))
x = K.placeholder((2, 3))
v, u = K.variable(ones, name="v"), K.variable(ones, name="u")
step = K.function([x], [x * v, x + 1], updates=[(v, v + x), K.update_add(u, ones)])
results["function"] = [step([ones]), K.get_value(v), step([ones]), K.batch_get_value([v, u])]
results["bare"] = [K.function(x, x * 2)(ones), K.function(x, x * 2)([ones])]
results["of dictionaries"] = K.function({"a": x}, {"b": x * 2})({"a": ones})
other = K.placeholder((2, 3), name="other")
results["nested"] = K.function([[x], other], [x * 2, [other * 1]])([[ones], ones * 5])
results["of a variable"] = K.function([], v)([])
results["bad updates"] = said(K.function, [x], [x], updates=3)
results["bad keyword"] = said(K.function, [x], [x], other=3)
seen = []
with_fetch = K.function([x], [x + 1], fetches=[x * 3])
with_fetch.fetch_callbacks[with_fetch.fetches[0]] = seen.append
results["fetches"] = [with_fetch([ones]), seen]

results["names"] = [op.name for op in tf.get_default_graph().get_operations()]
phase = K.learning_phase()
results["phase"] = [phase.name, phase.op.type, str(phase.shape)]
both = K.function([x, phase], [K.in_train_phase(x, x * 0)])
results["trained or not"] = [both([ones, 1]), both([ones, 0]), K.function([x], [K.in_train_phase(x, x * 0)])([ones])]
K.set_learning_phase(1)
results["phase set"] = [K.learning_phase(), K.in_train_phase(x, x * 0) is x]
results["phase wrong"] = said(K.set_learning_phase, 2)
with K.learning_phase_scope(0):
    results["phase in a scope"] = K.learning_phase()
results["phase after"] = K.learning_phase()

K.clear_session()
results["cleared"] = [K.learning_phase().name, K.get_uid("a"), K.get_uid("a")]
K.reset_uids()
results["reset"] = K.get_uid("a")
results["placeholders"] = [
    [p.name, str(p.shape), p.dtype.name]
    for p in (K.placeholder(), K.placeholder(ndim=2), K.placeholder((None, 3), dtype="int32", name="p"))
]
sparse = K.placeholder((None, 2), sparse=True)
results["sparse"] = [K.is_sparse(sparse), K.is_sparse(K.placeholder((2,)))]
results["both"] = said(K.placeholder, (2, 2), sparse=True, ragged=True)

w = K.variable([1.0, 2.0])
results["initialized"] = K.get_value(w)
K.set_value(w, [3, 4])
results["set"] = [K.get_value(w), K.batch_get_value([w, w]), K.eval(w * 2), K.get_value(5), K.batch_get_value([])]
K.batch_set_value([(w, [5, 6])])
results["batch set"] = K.get_value(w)
K.get_session().run(K.update_sub(w, [1.0, 1.0]))
results["updated"] = K.get_value(w)
made = [K.zeros((2, 3)), K.ones((2,), name="on"), K.eye(2), K.zeros((2,), dtype="int32")]
results["made"] = [[m.name, m.dtype.name, K.int_shape(m), K.get_value(m)] for m in made]
np.random.seed(3)
drawn = [K.random_uniform_variable((2,), 0, 1), K.random_normal_variable((2,), 0, 1, seed=2, name="drawn")]
results["drawn"] = [[d.name, K.get_value(d)] for d in drawn]
results["constant"] = [K.eval(K.constant(3, shape=(2,))), K.constant([1, 2]).dtype.name]
results["of tensors"] = [
    K.int_shape(x),
    K.ndim(x),
    K.dtype(x),
    K.count_params(w),
    K.int_shape(K.placeholder()),
    K.dtype(w),
]
results["graph"] = [op.name for op in tf.get_default_graph().get_operations()]

session = tf.Session()
K.set_session(session)
results["session"] = [K.get_session() is session]
with tf.Session() as inner:
    results["default session"] = K.get_session() is inner
results["settings"] = [K.floatx(), K.epsilon(), K.image_data_format(), K.backend()]
results["wrong settings"] = [said(K.set_floatx, "float8"), said(K.set_image_data_format, "rows")]
K.set_floatx("float64")
K.set_epsilon(1e-3)
results["other settings"] = [K.variable([1.0]).dtype.name, K.epsilon(), K.cast_to_floatx([1]).dtype.name]
K.set_floatx("float32")
K.set_epsilon(1e-7)
K.clear_session()
