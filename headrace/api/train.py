"""tf.train: optimizers, savers, hooks and their like."""

HOMES: dict[str, str] = {}

SPELLED: dict[str, str] = {}
