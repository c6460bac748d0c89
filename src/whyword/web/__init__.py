"""The HTTP door: parse, ask the models in shared batches, answer; one file per idea."""
