"""The errors of whyword: what a user can fix is a WhywordError of one sentence."""

from .interfaces.errors import (
    DataError,
    DivergedError,
    MissingExtraError,
    ModelError,
    OptionError,
    SettingError,
    WhywordError,
    WriteError,
)

__all__ = [
    "DataError",
    "DivergedError",
    "MissingExtraError",
    "ModelError",
    "OptionError",
    "SettingError",
    "WhywordError",
    "WriteError",
]
