"""The model card: what a model is, what it was trained on, how good it is, and how to use it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..report.tables import escape_markdown, markdown
from .config import ORDINAL, SECTIONS
from .figures import figure_tables, warn_of


def model_card(config: Mapping[str, Any], metrics: Mapping[str, Any], history: Sequence[Mapping[str, Any]]) -> str:
    """Say what the model is, what it was trained on, how good it is and how to use it."""
    method, encoder = config["method"]["name"], config["encoder"]["name"]
    lines = [
        f"# {escape_markdown(config.get('name') or f'{method} on {encoder}')}",
        "",
        *([config["notes"], ""] if config.get("notes") else []),
        f"A text classifier trained with whyword {config['whyword']}. {_what(config)}: "
        f"{', '.join(escape_markdown(str(label)) for label in config['labels'])}.",
        "",
        "| fact | value |",
        "|---|---|",
        *(
            f"| {escape_markdown(name)} | {escape_markdown(value)} |"
            for name, value in _facts(config, metrics, history)
        ),
        "",
        *_figures(metrics.get("figures")),
        *_forbidden(config, metrics.get("forbidden")),
        "## Settings",
        "",
        *(
            f"- {section}: {escape_markdown(_settings(config[section]))}"
            for section in SECTIONS
            if config.get(section) is not None
        ),
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


def _what(config: Mapping[str, Any]) -> str:
    if config.get("task") == ORDINAL:
        return "It tells these classes apart, which have an order, lowest first"
    several = config.get("multi_label", False)
    return "A text may have several of these labels, or none" if several else "It tells these classes apart"


def _facts(
    config: Mapping[str, Any], metrics: Mapping[str, Any], history: Sequence[Mapping[str, Any]]
) -> list[tuple[str, str]]:
    facts = [("method", config["method"]["name"]), ("encoder", config["encoder"]["name"])]
    if config.get("embeddings"):
        facts.append(("word vectors", str(config["embeddings"])))
    for name, value in {**metrics, **metrics.get("health", {})}.items():
        if name == "contributions":
            facts.append(("explained by contributions", f"{value['explained']:.4g}"))
        elif name == "rationales":
            facts += _agreement(value)
        elif name == "calibration":
            before, after = (f"{value[key]:.3f}" for key in ("dev_error_before", "dev_error"))
            if "temperature" in value:
                facts.append(("temperature", f"{value['temperature']:.3g}"))
            facts.append(("expected calibration error on dev", f"{after} (without temperature {before})"))
        elif name == "decision":
            facts += _decision(value)
        elif name == "auto":
            dev = ", ".join(f"{each} {accuracy:.1%}" for each, accuracy in value["dev_accuracy"].items())
            facts.append(("chosen on dev by auto", f"{value['chosen']}; {dev}"))
        elif name not in ("health", "figures", "forbidden"):
            facts.append((name.replace("_", " "), f"{value:.4g}" if isinstance(value, float) else str(value)))
    facts.append(("epochs trained", str(len(history))))
    facts.append(("seed", str(config["seed"])))
    return facts


def _agreement(rationales: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Say from how many texts it was learned what people mark, and how well that is told on dev."""
    facts = [("texts with marked words learned from", f"{rationales['texts']:,.0f}")]
    if "agreement" in rationales:
        shown = f"{rationales['agreement']:.3f} (random words about {rationales['random_agreement']:.3f})"
        facts.append(("average precision of the words that people marked on dev", shown))
    return facts


def _decision(decision: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Say from which probability on a class is predicted, and what that brought on dev."""
    if "thresholds" in decision:
        rule = ("thresholds", ", ".join(f"{name} {value:.2f}" for name, value in decision["thresholds"].items()))
        before, after = decision["dev_macro_f1_before"], decision["dev_macro_f1"]
        return [rule, ("macro-F1 on dev with thresholds", f"{after:.4g} (at one half {before:.4g})")]
    if "threshold" in decision:
        last = list(decision["offsets"])[-1]
        rule = ("threshold", f"{last} from {decision['threshold']:.1%} on")
    else:
        offsets = ", ".join(f"{name} {value:+.2f}" for name, value in decision["offsets"].items())
        rule = ("added to log-probabilities before deciding", offsets)
    before, after = decision["dev_macro_f1_before"], decision["dev_macro_f1"]
    return [rule, ("macro-F1 on dev with thresholds", f"{after:.4g} (without {before:.4g})")]


def _figures(figures: Mapping[str, Any] | None) -> list[str]:
    """Show the model beside majority and baseline, and class by class, with 95 % intervals."""
    if figures is None:
        return []
    warning = warn_of(figures)
    tables = [markdown(table) for table in figure_tables(figures)]
    return ["## How good it is", "", *tables, "In brackets: 95 % intervals.", *([warning] if warning else []), ""]


def _forbidden(config: Mapping[str, Any], found: Mapping[str, Any] | None) -> list[str]:
    """Name the words that must not decide, and those that may have taken over."""
    if not config.get("forbid") and not config.get("forbid_soft"):
        return []
    lines = ["## Words that must not decide", ""]
    for name, what in (("forbid", "Not read"), ("forbid_soft", "Read, but taught to move no answer")):
        if config.get(name):
            lines += [f"{what}: {', '.join(_code(entry) for entry in config[name])}.", ""]
    for proxy in (found or {}).get("proxies", ()):
        lines.append(
            f"- {_code(proxy['word'])} may have taken over from {_code(proxy['beside'])}: its odds beside it are "
            f"{proxy['odds']:.3g} times those elsewhere, and on average it adds {proxy['contribution']:.3f} to "
            f"{escape_markdown(str(proxy['label']))}."
        )
    return [*lines, ""] if lines[-1] else lines


def _code(word: str) -> str:
    """Show a word as it is; one with a backtick, which would end the code, as plain text."""
    return escape_markdown(word) if "`" in word or "\n" in word else f"`{word}`"


def _settings(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in values.items() if name != "name") or "none"
