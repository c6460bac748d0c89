"""Parts with weights that several methods or encoders share."""
