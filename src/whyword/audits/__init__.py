"""Audits: which explanations of a model deserve trust."""
