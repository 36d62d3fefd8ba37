"""`tf.test` and what tests of programs use: test cases, comparisons, mocks, benchmarks."""
