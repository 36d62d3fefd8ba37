"""tf.contrib.keras.constraints, as it was before `tf.keras`."""

HOMES = {
    "keras.constraints": "Constraint MaxNorm MinMaxNorm NonNeg UnitNorm deserialize get max_norm min_max_norm "
    "non_neg serialize unit_norm",
}
