"""tf.contrib.linalg: linear operators, where they were before 1.5."""

HOMES: dict[str, str] = {
    "functions.linalg.combined": "LinearOperatorComposition",
    "functions.linalg.identity": "LinearOperatorIdentity LinearOperatorScaledIdentity",
    "functions.linalg.low_rank": "LinearOperatorLowRankUpdate",
    "functions.linalg.operator": "LinearOperator",
    "functions.linalg.simple": "LinearOperatorDiag LinearOperatorFullMatrix LinearOperatorLowerTriangular",
}

SPELLED: dict[str, str] = {
    "LinearOperatorMatrix": "functions.linalg.simple.LinearOperatorFullMatrix",
    "LinearOperatorTriL": "functions.linalg.simple.LinearOperatorLowerTriangular",
    "LinearOperatorUDVHUpdate": "functions.linalg.low_rank.LinearOperatorLowRankUpdate",
}
