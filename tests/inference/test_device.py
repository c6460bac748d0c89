"""Choosing a device."""

import pytest
import torch

from whyword.inference.device import choose_device
from whyword.interfaces.errors import OptionError


@pytest.mark.parametrize(("cuda", "mps", "chosen"), [(True, True, "cuda"), (False, True, "mps"), (False, False, "cpu")])
def test_auto_takes_the_fastest_there_is(monkeypatch, cuda, mps, chosen):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)
    assert choose_device("auto") == torch.device(chosen)


def test_a_device_may_have_a_number(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert choose_device("cuda:1") == torch.device("cuda", 1)


def test_a_device_that_is_not_there_is_refused(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(OptionError, match="no cuda device: choose auto or cpu"):
        choose_device("cuda")


def test_an_unknown_name_gets_the_nearest_known_one():
    with pytest.raises(OptionError, match="Did you mean 'cuda'"):
        choose_device("cuds")


@pytest.mark.parametrize("name", ["cpu:x", "cuda:", "cuda:-1"])
def test_a_number_that_is_none_is_refused(monkeypatch, name):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    with pytest.raises(OptionError, match="is no device: write"):
        choose_device(name)
