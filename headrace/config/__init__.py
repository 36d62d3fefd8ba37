"""Settings of the process and of sessions, and the switches between the behaviours of 1.x and of TensorFlow 2."""
