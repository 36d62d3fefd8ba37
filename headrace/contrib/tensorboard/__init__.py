"""What 1.x programs tell TensorBoard's plugins."""
