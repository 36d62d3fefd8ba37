"""What files of ops share: computations, shape rules, and the functions that gradients are put together from."""
