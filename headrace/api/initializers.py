"""tf.initializers: initial values by shape, and operations that initialize variables."""

HOMES = {
    "state.initializers": "he_normal he_uniform lecun_normal lecun_uniform",
}

SPELLED = {
    "constant": "state.initializers.Constant",
    "global_variables": "state.collecting.global_variables_initializer",
    "glorot_normal": "state.initializers.GlorotNormal",
    "glorot_uniform": "state.initializers.GlorotUniform",
    "identity": "state.initializers.Identity",
    "local_variables": "state.collecting.local_variables_initializer",
    "ones": "state.initializers.Ones",
    "orthogonal": "state.initializers.Orthogonal",
    "random_normal": "state.initializers.RandomNormal",
    "random_uniform": "state.initializers.RandomUniform",
    "tables_initializer": "lookup.tables.tables_initializer",
    "truncated_normal": "state.initializers.TruncatedNormal",
    "uniform_unit_scaling": "state.initializers.UniformUnitScaling",
    "variables": "state.collecting.variables_initializer",
    "variance_scaling": "state.initializers.VarianceScaling",
    "zeros": "state.initializers.Zeros",
}
