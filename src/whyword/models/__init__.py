"""A model: its settings, its training, its folder."""
