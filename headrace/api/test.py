"""`tf.test`: what tests of graphs use."""

HOMES = {
    "autodiff.checker": "compute_gradient compute_gradient_error",
}

SPELLED: dict[str, str] = {}
