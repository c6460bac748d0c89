"""Shapley's estimators; README.md derives them."""
