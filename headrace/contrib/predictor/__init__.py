"""Running a SavedModel as a function."""
