"""Equations on tensors, without weights."""
