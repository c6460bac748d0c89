"""Tables and figures of a paper, ours beside the published."""
