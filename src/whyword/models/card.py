"""README.md of a model folder, written from its settings and metrics; an audit adds its part (audits/card.py)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def model_card(config: Mapping[str, Any], metrics: Mapping[str, Any], history: Sequence[Mapping[str, Any]]) -> str:
    """Say what the model is, what it was trained on, how good it is and how to use it."""
    method, encoder = config["method"]["name"], config["encoder"]["name"]
    lines = [
        f"# {method} on {encoder}",
        "",
        f"A text classifier trained with whyword {config['whyword']}. It tells these classes apart: "
        f"{', '.join(str(label) for label in config['labels'])}.",
        "",
        "| fact | value |",
        "|---|---|",
        *(f"| {name} | {value} |" for name, value in _facts(config, metrics, history)),
        "",
        "## Settings",
        "",
        *(f"- {section}: {_settings(config[section])}" for section in ("method", "encoder", "vocabulary", "training")),
        "",
        "## Use",
        "",
        "```python",
        "from whyword import load",
        "",
        'classifier = load("PATH OF THIS FOLDER")',
        'classifier.explain(["a text"])[0].top(5)',
        "```",
        "",
        "The words a model relies on are a fact about the model, not about the world: look before you trust it.",
        "",
    ]
    return "\n".join(lines)


def _facts(
    config: Mapping[str, Any], metrics: Mapping[str, Any], history: Sequence[Mapping[str, Any]]
) -> list[tuple[str, str]]:
    facts = [("method", config["method"]["name"]), ("encoder", config["encoder"]["name"])]
    if config.get("embeddings"):
        facts.append(("word vectors", str(config["embeddings"])))
    for name, value in {**metrics, **metrics.get("health", {})}.items():
        if name != "health":
            facts.append((name.replace("_", " "), f"{value:.4g}" if isinstance(value, float) else str(value)))
    facts.append(("epochs trained", str(len(history))))
    facts.append(("seed", str(config["seed"])))
    return facts


def _settings(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in values.items() if name != "name") or "none"
