"""Hooks for estimators."""
