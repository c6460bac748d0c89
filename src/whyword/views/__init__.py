"""An explanation as terminal text, HTML and SVG."""
