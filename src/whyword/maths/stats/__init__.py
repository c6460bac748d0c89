"""Statistics: intervals, tests, correlations."""
