"""What is measured of a trained variant, one file per evaluation."""
