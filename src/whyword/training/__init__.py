"""The training loop, its optimizers and their settings."""
