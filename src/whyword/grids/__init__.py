"""Variants, data sets and seeds: trained, evaluated, recorded."""
