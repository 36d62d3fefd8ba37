"""`tf.layers`: the layers with variables in variable scopes, and a function for each that makes and applies one."""
