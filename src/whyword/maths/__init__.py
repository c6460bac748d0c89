"""Equations without weights: statistics and tensors."""
