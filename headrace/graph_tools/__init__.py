"""What 1.x's tools did to graphs in files: freezing, stripping, optimizing, looking into SavedModels."""
