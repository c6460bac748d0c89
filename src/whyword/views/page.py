"""A page of explanations, one below the other."""

from __future__ import annotations

HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>whyword explanations</title>
<style>
:root { color-scheme: light dark; }
body { max-width: 50rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.6 system-ui, sans-serif; }
h2 { margin: 2.5rem 0 .5rem; font-size: 1.1rem; }
.whyword { padding: .6rem 0; border-top: 1px solid rgba(128, 128, 128, .4); }
</style>
</head>
<body>
"""
TAIL = "</body>\n</html>\n"
