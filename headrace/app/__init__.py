"""`tf.app`: running a program, its command line flags, the files that lie beside it."""
