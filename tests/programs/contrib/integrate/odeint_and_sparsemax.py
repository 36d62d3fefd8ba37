"""tf.contrib.sparsemax and tf.contrib.integrate: values, gradients, errors."""

import numpy as np
import tensorflow as tf

results = {}
rng = np.random.RandomState(7)
sparsemax = tf.contrib.sparsemax
integrate = tf.contrib.integrate
logits = rng.randn(4, 5).astype(np.float32) * 2
labels = np.eye(5, dtype=np.float32)[[0, 3, 1, 1]]
odd = np.array([[np.nan, 1, 2], [-np.inf, -np.inf, -np.inf], [-np.inf, 1, 0.5], [0, 0, 0]], np.float64)


def outcome(make):
    with tf.Graph().as_default(), tf.Session() as sess:
        try:
            made = make()
            shape = str(made.shape) if isinstance(made, tf.Tensor) else None
            return [sess.run(made), shape]
        except (ValueError, TypeError, tf.errors.OpError) as error:
            return type(error).__name__


def loss_and_gradient():
    z = tf.constant(logits)
    p = sparsemax.sparsemax(z)
    loss = sparsemax.sparsemax_loss(z, p, labels)
    return [p, loss, tf.gradients(loss, z)[0], tf.gradients(tf.reduce_sum(p * p), z)[0]]


def lorenz(state, t):
    x, y, z = tf.unstack(state)
    return tf.stack([10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3 * z])


def decay_gradient():
    k = tf.constant(0.7, tf.float64)
    y = integrate.odeint_fixed(lambda y, t: -k * y, tf.constant([1.0, 2.0], tf.float64), np.linspace(0, 1, 4))
    return tf.gradients(y[-1], k)[0]


times = np.linspace(0.0, 1.0, 6)
cases = {
    "sparsemax": loss_and_gradient,
    "sparsemax odd": lambda: sparsemax.sparsemax(odd),
    "loss odd": lambda: sparsemax.sparsemax_loss(odd, sparsemax.sparsemax(odd), np.eye(4, 3)),
    "decay": lambda: integrate.odeint(lambda y, t: -y, tf.constant([1.0, 3.0], tf.float64), times),
    "decay float": lambda: integrate.odeint(lambda y, t: -y * t, 1.0, np.linspace(0, 2, 5).astype(np.float32), 1e-4),
    "lorenz": lambda: integrate.odeint(lorenz, tf.constant([0.0, 1.0, 1.05], tf.float64), times, 1e-6),
    "complex": lambda: integrate.odeint(lambda y, t: 1j * y, tf.constant([1.0 + 0j, 2j], tf.complex128), times),
    "full": lambda: integrate.odeint(lambda y, t: -y, tf.constant(1.0, tf.float64), times, full_output=True),
    "options": lambda: integrate.odeint(
        lambda y, t: -y, tf.constant(1.0, tf.float64), times, method="dopri5", options={"first_step": 0.1}
    ),
    "too many steps": lambda: integrate.odeint(
        lambda y, t: -y,
        tf.constant(1.0, tf.float64),
        times,
        method="dopri5",
        options={"max_num_steps": 1, "first_step": 1e-4},
    ),
    "not increasing": lambda: integrate.odeint(lambda y, t: -y, tf.constant(1.0, tf.float64), [0.0, 1.0, 0.5]),
    "method": lambda: integrate.odeint(lambda y, t: -y, 1.0, times, method="other"),
    "integers": lambda: integrate.odeint(lambda y, t: -y, 1, times),
    "integer times": lambda: integrate.odeint(lambda y, t: -y, 1.0, tf.constant([0, 1])),
    "options alone": lambda: integrate.odeint(lambda y, t: -y, 1.0, times, options={"first_step": 0.1}),
    "rk4": lambda: integrate.odeint_fixed(lorenz, tf.constant([0.0, 1.0, 1.05], tf.float64), times),
    "midpoint": lambda: integrate.odeint_fixed(
        lambda y, t: -y * t,
        tf.constant([1.0, 2.0], tf.float64),
        times,
        dt=[0.1, 0.07, 0.2, 0.3, 0.05],
        method="midpoint",
    ),
    "fixed method": lambda: integrate.odeint_fixed(lambda y, t: -y, 1.0, times, method="euler"),
    "fixed lengths": lambda: integrate.odeint_fixed(
        lambda y, t: -y, tf.constant(1.0, tf.float64), times, dt=[0.1, 0.2]
    ),
    "fixed gradient": decay_gradient,
}
for name in sorted(cases):
    results[name] = outcome(cases[name])
