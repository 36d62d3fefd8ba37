"""Shared by ops of variables: handles, rows and updates."""
