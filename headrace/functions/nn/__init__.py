"""Functions of neural networks: layers' computations under all their arguments, losses, embeddings."""
