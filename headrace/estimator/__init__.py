"""Estimators: models that are trained, evaluated and exported by a few calls."""
