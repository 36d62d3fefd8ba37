"""Input functions of arrays and data frames."""
