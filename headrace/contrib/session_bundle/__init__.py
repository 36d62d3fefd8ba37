"""Session bundles: the format of exported models before SavedModels."""
