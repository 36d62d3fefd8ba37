"""What the ops on boosted trees share: weighted quantiles, ensembles of trees, gains of splits."""
