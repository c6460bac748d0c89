"""What pages share: charts, tables, templates."""
