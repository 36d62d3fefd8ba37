"""What a model costs: parameters, floating-point operations, time and memory, by scope, graph, op type or source line."""
