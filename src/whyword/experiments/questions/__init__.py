"""What the papers ask of a trained model, one question per file."""
