"""Files that survive a kill: atomic writes, part files, records."""
