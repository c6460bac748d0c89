"""Questions that several explainers and metrics put to a model."""
