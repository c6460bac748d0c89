"""Marking words on the page: which text comes next, who has it open, and what was decided."""
