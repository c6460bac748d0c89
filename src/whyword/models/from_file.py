"""whyword.train(): from a file of any size to a model folder, as the command of that name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ..data.rows import USUAL, Columns
from ..inference.fitted import choose_device
from ..interfaces.errors import OptionError
from .auto import BUDGET, train_automatically
from .config import AUTO, make_config, with_defaults
from .folder import check_place
from .forbidden_words import with_forbidden_notes
from .row_folder import training_rows
from .train import train_model


def train(
    data: str | Path,
    output: str | Path,
    settings: Mapping[str, Any] | None = None,
    *,
    columns: Columns = USUAL,
    data_dir: str | Path | None = None,
    stream: bool | None = None,
    budget: float = BUDGET,
    baseline: bool = True,
    resume: bool = False,
    overwrite: bool = False,
    device: str = "auto",
    on_event: Callable[[Any], None] = lambda _: None,
) -> dict[str, Any]:
    """Train on a file, a folder of splits, a name or hub:owner/name, write a model folder, and give its metrics.

    Settings are those of `whyword train --config`, such as {"encoder": "lstm", "training": {"epochs": 3}}; without an
    encoder, one is chosen within the budget of minutes. Rows are kept on disk if stream is true, or if it is left out
    and there are 200 MB of them or more: memory then does not grow with their number.
    """
    place = Path(output)
    check_place(place)
    if (place / "config.json").exists() and not (overwrite or resume):
        raise OptionError(f"{place} is a model already: give overwrite=True to replace it, or name another folder.")
    values = dict(settings or {})
    auto = values.get("encoder", AUTO) in (AUTO, {"name": AUTO})
    if auto:
        values.pop("encoder", None)
    run, where = make_config(with_defaults(values)), choose_device(device)
    with training_rows(data, place, columns, data_dir, stream=stream, resume=resume) as (dataset, resumes):
        dataset = with_forbidden_notes(dataset, values)
        if auto:
            model = train_automatically(values, dataset, where, place, resumes, on_event, baseline, budget=budget)
        else:
            model = train_model(run, dataset, where, place, resumes, on_event, baseline)
    return dict(model.metrics)
