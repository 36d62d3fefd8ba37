"""Models as SavedModels, with what makes models of them again."""
