"""tf.keras.constraints."""

HOMES: dict[str, str] = {
    "keras.constraints": "Constraint MaxNorm MinMaxNorm NonNeg RadialConstraint UnitNorm deserialize get max_norm "
    "min_max_norm non_neg radial_constraint serialize unit_norm",
}
