"""Where the trained weights of networks lie: constants of the modules of `keras.applications`, by network."""
