"""What runs a function along an axis: maps, folds and scans, recurrent networks and their cells."""
