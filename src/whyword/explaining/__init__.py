"""Any model to a stream of explanations."""
