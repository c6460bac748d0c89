import pytest

from whyword.interfaces.errors import OptionError
from whyword.web.settings import Settings


def test_a_queue_must_hold_a_whole_request():
    with pytest.raises(
        OptionError, match=r"--queue 10 holds fewer texts than one request may bring \(--max-texts 64\)"
    ):
        Settings(queue=10)


@pytest.mark.parametrize("token", ["", " ", "schlüssel", "a\nb"])
def test_a_token_must_fit_into_a_header(token):
    with pytest.raises(OptionError, match="--token is empty"):
        Settings(token=token)


def test_a_token_is_not_shown():
    assert "sesame" not in repr(Settings(token="sesame"))
