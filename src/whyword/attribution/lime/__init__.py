"""LIME's estimator; README.md derives it."""
