"""Linear operators: matrices by their structure."""
