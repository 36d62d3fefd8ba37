"""tf.sets: sets along the last axis of tensors."""

HOMES: dict[str, str] = {
    "ops.sparse.sets": "set_difference set_intersection set_size set_union",
}

SPELLED: dict[str, str] = {
    "difference": "ops.sparse.sets.set_difference",
    "intersection": "ops.sparse.sets.set_intersection",
    "size": "ops.sparse.sets.set_size",
    "union": "ops.sparse.sets.set_union",
}
