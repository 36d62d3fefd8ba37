"""Shared by ops of readers: what a reader knows of its files."""
