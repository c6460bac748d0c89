"""The values and contracts that all packages speak in: documents, methods, classifiers, explanations, metrics."""
