"""tf.compat.v2.keras.constraints: the names that mean the same in 1.x."""

HOMES = {
    "keras.constraints": "Constraint MaxNorm MinMaxNorm NonNeg RadialConstraint UnitNorm deserialize get "
    "max_norm min_max_norm non_neg radial_constraint serialize unit_norm",
}
