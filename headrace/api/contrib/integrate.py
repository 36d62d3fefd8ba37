"""tf.contrib.integrate: ordinary differential equations."""

HOMES = {"contrib.integrate.adaptive": "odeint", "contrib.integrate.fixed": "odeint_fixed"}
