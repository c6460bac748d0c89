"""Tests of attention, polarity, states and text vectors."""
