"""tf.xla."""

NESTED = {"experimental": {"state.compiled": "compile jit_scope"}}
