"""tf.contrib.compiler: the older spelling of tf.xla."""

NESTED = {"jit": {"state.compiled": "experimental_jit_scope"}, "xla": {"state.compiled": "compile"}}
