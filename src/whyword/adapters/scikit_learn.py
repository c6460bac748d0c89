"""scikit-learn pipelines: a .skops file, a .joblib or .pkl file where pickle is allowed, or the object itself."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from ..inference.files import contents_fingerprint
from ..inference.opening import open_object
from ..interfaces.adapter import Access, Adapter, ForeignModel, is_a
from ..interfaces.errors import MissingExtraError, ModelError, first_line

KIND = "scikit-learn"
PICKLES = (".joblib", ".pkl", ".pickle")


class ScikitLearn(Adapter):
    """Asked through predict_proba; what only gives margins is refused, as a margin is no probability."""

    forms = "FILE.skops, FILE.joblib"

    @classmethod
    def recognizes(cls, model: object) -> bool:
        """Recognize files by their endings, and objects that give margins but no probabilities."""
        if isinstance(model, str | Path):
            return Path(model).suffix in (".skops", *PICKLES)
        return hasattr(model, "decision_function") and not hasattr(model, "predict_proba")

    @classmethod
    def open(cls, model: object, access: Access) -> ForeignModel:
        """Read a file; the object in it is opened as if it had been handed over."""
        if not isinstance(model, str | Path):
            raise ModelError(
                f"{_last(model)} gives margins, not probabilities: fit it inside scikit-learn's CalibratedClassifierCV."
            )
        file = Path(model)
        if not file.is_file():
            raise ModelError(f"There is no model file {file}: give the path of one.")
        estimator = _load_skops(file, access) if file.suffix == ".skops" else _load_pickle(file, access)
        opened = open_object(estimator, access, file.stem)
        kind = KIND if is_a(estimator, "sklearn", "BaseEstimator") else opened.kind
        return replace(opened, name=file.stem, kind=kind, fingerprint=partial(contents_fingerprint, file))


def _last(model: Any) -> str:
    """Name the last step of a pipeline, or any other object."""
    steps = getattr(model, "steps", None)
    return type(steps[-1][1] if steps else model).__name__


def _load_skops(file: Path, access: Access) -> Any:
    try:
        import skops.io
    except ImportError:
        raise MissingExtraError(f"The model {file}", "skops") from None
    try:
        foreign = skops.io.get_untrusted_types(file=file)
        if foreign and not access.allow_pickle:
            raise ModelError(
                f"{file} holds what skops does not trust ({', '.join(sorted(foreign)[:3])}): if you know where it "
                "comes from, allow it (--allow-pickle)."
            )
        return skops.io.load(file, trusted=foreign)
    except ModelError:
        raise
    except Exception as error:  # whatever a damaged file makes the library raise
        raise _unreadable(file, error) from error


def _load_pickle(file: Path, access: Access) -> Any:
    if not access.allow_pickle:
        raise ModelError(
            f"{file} is a pickle, which can run code when it is read: save the model with skops.io.dump as a .skops "
            "file or, if you know where it comes from, allow it (--allow-pickle)."
        )
    import joblib

    try:
        return joblib.load(file)
    except Exception as error:  # whatever a damaged file makes the library raise
        raise _unreadable(file, error) from error


def _unreadable(file: Path, error: Exception) -> ModelError:
    return ModelError(
        f"{file} cannot be read ({first_line(error)}): save the model again with the versions installed here."
    )
