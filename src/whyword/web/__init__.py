"""The HTTP server: routes, shared batches, limits, logs and the page."""
