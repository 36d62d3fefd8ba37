"""tf.compat.v2.bitwise: the names that mean the same in 1.x."""

HOMES = {
    "bitwise": "bitwise_and bitwise_or bitwise_xor invert left_shift right_shift",
}
