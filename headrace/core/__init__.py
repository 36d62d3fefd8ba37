"""Types, shapes, errors, devices and the graph itself: what every other part of headrace stands on."""
