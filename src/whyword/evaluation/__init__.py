"""What metrics share: top words, sub-texts without them, scores with intervals."""
