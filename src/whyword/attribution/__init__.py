"""Estimators that explainers share."""
