"""Models and their weights in files: HDF5, SavedModels, configurations."""
