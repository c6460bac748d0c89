"""Equations on numpy arrays, for what must run without torch."""
