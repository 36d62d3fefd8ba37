"""The declarations of ops, a file a family, each independent of the others."""
