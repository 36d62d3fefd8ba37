"""Distribution strategies: one program for several replicas, on several devices and processes."""
