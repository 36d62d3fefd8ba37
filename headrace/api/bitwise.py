"""tf.bitwise: operations on the bits of integers."""

HOMES = {
    "ops.math.bitwise": "bitwise_and bitwise_or bitwise_xor invert left_shift right_shift",
}
