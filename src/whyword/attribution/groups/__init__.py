"""Long texts: scores of groups of words first, then of the words inside the groups that matter."""
