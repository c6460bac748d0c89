"""The papers' tables and figures, one file per paper."""
