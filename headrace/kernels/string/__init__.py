"""Shared by ops of strings: hashes, patterns, numbers, scripts."""
