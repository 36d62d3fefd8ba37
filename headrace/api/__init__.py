"""The tables of public names: one module here for each public module, and `lazy`, which serves them."""
