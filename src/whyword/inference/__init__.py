"""Ask a model for probabilities."""
