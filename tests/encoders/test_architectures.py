"""Every kind of pretrained encoder is trained, explained, saved, loaded and audited; none stays at chance."""

import numpy as np
import pytest
import torch

from reference.architectures import ARCHITECTURES, write
from whyword.audits.run import audit
from whyword.catalog import make_explainer
from whyword.data.batching import collate
from whyword.data.dataset import load_dataset
from whyword.data.tokenizers.word_pieces import WordPieceTokenizer
from whyword.data.words import split
from whyword.encoders.transformer import Transformer
from whyword.explaining.stream import explain_documents
from whyword.models.config import make_config
from whyword.models.folder import load_model, put_model
from whyword.models.train import train_model

transformers = pytest.importorskip("transformers")
pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")  # of DeBERTa

DATA = load_dataset("planted:easy,train=400,dev=60,test=60")
CORPUS = [document.words.texts[0] for document in DATA.train]
TEXTS = [split("A truly well-made film."), split("Dull!"), split("So so, it was not bad.")]
PAIR = split("Is it good?", "It was not bad.")
TRAINING = {"learning_rate": 3e-3, "batch_size": 16, "patience": None}
EXPLAINERS = {
    "own": {},
    "gradient": {},
    "integrated-gradients": {"steps": "4"},
    "occlusion": {},
    "lime": {"samples": "40"},
}
HEAD = {"texts": 40, "least_texts": 1, "pairs": 2, "epochs": 1, "steps": 4, "batch_size": 16}
LEARNED = 0.68  # of 60 dev texts, half of each class: a model that guesses is there once in 400 times
ATTEMPTS = 4  # each from another start, and twice as long as the last: which starts are bad depends on the processor


@pytest.fixture(scope="module", params=ARCHITECTURES)
def folder(request, tmp_path_factory):
    return write(request.param, tmp_path_factory.mktemp("pretrained") / request.param, CORPUS)


def read(folder):
    encoder = Transformer.from_pretrained(Transformer.Config(model=str(folder))).eval()
    return encoder, WordPieceTokenizer.from_pretrained(str(folder), encoder.limit)


def test_it_is_trained_explained_saved_loaded_and_audited(folder, tmp_path):
    for attempt in range(ATTEMPTS):
        training = {**TRAINING, "epochs": ARCHITECTURES[folder.name].epochs * 2**attempt}
        values = {"encoder": str(folder), "training": training, "contributions": HEAD, "seed": attempt}
        events = []
        model = train_model(make_config(values), DATA, on_event=events.append)
        if model.metrics["dev_accuracy"] >= LEARNED:
            break
    assert model.metrics["dev_accuracy"] >= LEARNED
    assert not [event for event in events if isinstance(event, str) and "learned nothing" in event]
    assert model.config.encoder_settings.pooling == ARCHITECTURES[folder.name].pooling

    put_model(model, tmp_path / "model")
    again = load_model(tmp_path / "model")
    words = [*TEXTS, PAIR, split("")]
    expected = model.classifier.probabilities(words)
    torch.testing.assert_close(again.classifier.probabilities(words), expected, atol=1e-5, rtol=0)

    documents = DATA.test[:2]
    for name, settings in EXPLAINERS.items():
        explainer = make_explainer(name, again.classifier, settings=settings)
        for explanation in explain_documents(again.classifier, documents, explainer):
            assert np.isfinite(explanation.scores).all()
            assert np.abs(explanation.scores).max() > 0, name

    texts, labels = [d.words.texts[0] for d in DATA.test[:6]], [d.label for d in DATA.test[:6]]
    chosen = {"explainers": ["own", "gradient"], "metrics": ["comprehensiveness"], "draws": 2}
    found = audit(again.classifier, texts, labels, **chosen)
    assert set(found.verdicts) == {"own", "gradient"}


def test_its_states_are_those_of_the_model_called_with_token_ids_one_text_at_a_time(folder):
    encoder, tokenizer = read(folder)
    tokens = tokenizer([*TEXTS, PAIR])
    batch = collate(tokens, tokenizer.padding)
    with torch.no_grad():
        together = encoder.encode(encoder.embed(batch), batch)
        assert tuple(states.shape[-1] for states in together) == encoder.layer_dims
        for row, text in enumerate(tokens):
            alone = collate([text], tokenizer.padding)
            states = encoder.encode(encoder.embed(alone), alone)[-1]
            torch.testing.assert_close(together[-1][row, : len(text)], states[0], atol=2e-4, rtol=1e-3)


def test_a_text_longer_than_its_positions_is_cut_and_not_a_crash(folder):
    encoder, tokenizer = read(folder)
    batch = collate(tokenizer([split("good " * 900)]), tokenizer.padding)
    assert batch.tokens.shape[1] == encoder.limit
    with torch.no_grad():
        assert encoder.encode(encoder.embed(batch), batch)[-1].isfinite().all()
