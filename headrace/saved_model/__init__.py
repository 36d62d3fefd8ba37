"""SavedModels: graphs with their variables and signatures in a folder, written, loaded and run."""
