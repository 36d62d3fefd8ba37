"""Estimators written for Cloud TPUs, on the devices of this machine."""
