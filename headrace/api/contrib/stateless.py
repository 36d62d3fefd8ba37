"""tf.contrib.stateless: random numbers that depend on their seed alone."""

HOMES: dict[str, str] = {
    "ops.random.normal": "stateless_truncated_normal",
    "ops.random.sampling": "stateless_multinomial",
}

SPELLED: dict[str, str] = {
    "stateless_random_normal": "ops.random.normal.stateless_normal",
    "stateless_random_uniform": "ops.random.uniform.stateless_uniform",
}
