"""From a graph and what is asked of it to one generated Python function: a pass a file, graph to graph."""
