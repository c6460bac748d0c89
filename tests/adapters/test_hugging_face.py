"""Hugging Face classifiers, opened, against the same model called as its authors call it."""

import json

import numpy as np
import pytest
import torch

from reference import foreign_models
from reference.tokenizers import byte_level, unigram
from whyword import audit, diff, explain
from whyword.adapters.hugging_face import HuggingFace
from whyword.blocks.pretrained import position_limit
from whyword.data.words import split
from whyword.explaining.any_model import open_model
from whyword.interfaces.adapter import Access
from whyword.interfaces.classifier import OpenClassifier
from whyword.interfaces.errors import ModelError, OptionError

transformers = pytest.importorskip("transformers")

TEXTS = ["a film full of trees", "dull!", "The cast wasn't superb, and so on"]
PAIRS = [("is it good", "it is"), ("long", "no, not at all long")]


@pytest.fixture(scope="module")
def parts():
    return foreign_models.hugging_face()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return foreign_models.save_hugging_face(tmp_path_factory.mktemp("hf") / "bert")


def usual(parts, texts):
    """Ask about each text by itself, the usual way."""
    model, tokenizer = parts
    rows = []
    for text in texts:
        both = (text,) if isinstance(text, str) else text
        with torch.inference_mode():
            rows.append(model(**tokenizer(*both, return_tensors="pt", truncation=True)).logits[0].softmax(-1))
    return torch.stack(rows)


@pytest.mark.parametrize("texts", [TEXTS, PAIRS], ids=["single", "pairs"])
def test_probabilities_are_those_of_the_model(parts, texts):
    classifier = open_model(parts).classifier
    words = [split(text) if isinstance(text, str) else split(*text) for text in texts]
    torch.testing.assert_close(classifier.probabilities(words), usual(parts, texts), atol=1e-5, rtol=0)
    assert classifier.classes == ("negative", "positive")
    assert isinstance(classifier, OpenClassifier)


def test_a_sub_text_is_answered_from_its_tokens(parts):
    model, tokenizer = parts
    text = "a film full of trees"
    kept = torch.tensor([[True, False, True, False, True]])
    ids = [2, *tokenizer("a full trees", add_special_tokens=False)["input_ids"], 3]
    with torch.inference_mode():
        expected = model(input_ids=torch.tensor([ids])).logits.softmax(-1)
    answer = open_model(parts).classifier.probabilities_of_subsets(split(text), kept)
    torch.testing.assert_close(answer, expected, atol=1e-5, rtol=0)


def test_the_gradient_is_the_derivative_of_the_probability(parts):
    model, tokenizer = parts
    (explanation,) = explain(model, TEXTS[:1], "gradient", tokenizer=tokenizer)
    encoded = tokenizer(TEXTS[0], return_tensors="pt")
    vectors = model.get_input_embeddings()(encoded["input_ids"]).detach().requires_grad_(True)
    inputs = {name: value for name, value in encoded.items() if name != "input_ids"}
    model(inputs_embeds=vectors, **inputs).logits.softmax(-1)[0, explanation.target].backward()
    of_pieces = (vectors.grad * vectors.detach()).sum(-1)[0].numpy()
    words = [None if word is None else word for word in encoded.word_ids(0)]
    expected = [sum(of_pieces[i] for i, word in enumerate(words) if word == number) for number in range(5)]
    np.testing.assert_allclose(explanation.scores, expected, atol=1e-5)


def test_integrated_gradients_add_up(parts):
    (explanation,) = explain(parts, TEXTS[:1], "integrated-gradients")
    assert explanation.base_value + explanation.scores.sum() == pytest.approx(explanation.probability, abs=1e-2)


def test_a_pipeline_a_pair_and_a_folder_are_the_same_model(parts, folder):
    model, tokenizer = parts
    pipeline = transformers.pipeline("text-classification", model=model, tokenizer=tokenizer)
    opened = [open_model(each) for each in (pipeline, parts, folder, f"hf:{folder}")]
    assert len({one.identity for one in opened}) == 1
    assert {one.kind for one in opened} == {"hugging-face"}
    assert opened[2].name == "bert"
    expected = [row["label"] for row in pipeline(TEXTS)]
    assert [explanation.label for explanation in explain(pipeline, TEXTS)] == expected


def test_audit_and_diff_take_pipelines(parts):
    model, tokenizer = parts
    pipeline = transformers.pipeline("text-classification", model=model, tokenizer=tokenizer)
    texts, labels = foreign_models.TEXTS[:4], foreign_models.LABELS[:4]
    report = audit(pipeline, texts, labels, explainers=["occlusion"], metrics=["comprehensiveness"], draws=2)
    assert set(report.verdicts) == {"occlusion"}
    assert report.data.model.kind == "open"
    assert (report.data.model.method, report.data.model.encoder) == ("hugging-face", "BertForSequenceClassification")
    assert diff(pipeline, parts, texts).predictions_changed.value == 0


@pytest.mark.parametrize("labels", [2, 3])
def test_labels_that_do_not_exclude_each_other_have_probabilities_of_their_own(labels):
    names = {number: f"topic {number}" for number in range(labels)}
    facts = {"id2label": names, "label2id": {name: number for number, name in names.items()}}
    parts = foreign_models.hugging_face(problem_type="multi_label_classification", **facts)
    model, tokenizer = parts
    with torch.inference_mode():
        expected = model(**tokenizer(TEXTS[0], return_tensors="pt")).logits.sigmoid()[0].double().numpy()
    assert abs(expected.sum() - 1) > 0.02
    for explainer in ("occlusion", "lime", "shapley", "gradient"):
        (explanation,) = explain(parts, TEXTS[:1], explainer, target="all")
        np.testing.assert_allclose(explanation.probabilities, expected, atol=1e-5)
        assert explanation.all_scores.shape == (labels, 5)
        assert set(explanation.speaks_for) <= {explanation.target, None}
        assert explanation.to_html()
    shapley = explain(parts, TEXTS[:1], "shapley")[0]
    np.testing.assert_allclose(shapley.base_values + shapley.all_scores.sum(1), expected, atol=1e-5)
    for number in range(labels):  # the scores of a label do not depend on the others
        alone = explain(parts, TEXTS[:1], "shapley", target=f"topic {number}")[0]
        np.testing.assert_allclose(alone.scores, shapley.all_scores[number], atol=1e-6)


@pytest.mark.parametrize(
    ("name", "settings", "backend", "left", "vectors"),
    [
        ("Roberta", {"type_vocab_size": 1, "max_position_embeddings": 40, "pad_token_id": 1}, byte_level, False, True),
        ("GPT2", {"pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2}, byte_level, True, True),
        ("Llama", {"pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2}, byte_level, True, True),
        ("XLNet", {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}, unigram, True, True),
        ("Bart", {"pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2}, byte_level, False, False),
    ],
)
def test_each_architecture_is_asked_so_that_a_batch_answers_as_its_texts_alone(name, settings, backend, left, vectors):
    sizes = {
        "Roberta": foreign_models.SIZES,
        "Llama": foreign_models.SIZES,
        "GPT2": {"n_embd": 12, "n_layer": 2, "n_head": 2},
        "XLNet": {"d_model": 12, "n_layer": 2, "n_head": 2, "d_inner": 16},
        "Bart": {
            "d_model": 12,
            **{f"{half}_layers": 1 for half in ("encoder", "decoder")},
            **{f"{half}_attention_heads": 2 for half in ("encoder", "decoder")},
            **{f"{half}_ffn_dim": 16 for half in ("encoder", "decoder")},
        },
    }[name]
    raw = backend()
    special = {"pad_token": raw.id_to_token(settings["pad_token_id"]), "eos_token": "</s>", "unk_token": "<unk>"}
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=raw, **special)
    config = getattr(transformers, f"{name}Config")(vocab_size=raw.get_vocab_size(), num_labels=3, **sizes, **settings)
    model = getattr(transformers, f"{name}ForSequenceClassification")(config).eval()
    for weight in model.parameters():
        torch.nn.init.normal_(weight, std=0.3)
    classifier = open_model((model, tokenizer)).classifier
    assert (classifier.method.network.layout.left, classifier.method.network.layout.vectors) == (left, vectors)
    together = classifier.probabilities([split(text) for text in TEXTS])
    takes = ("input_ids", "attention_mask")
    with torch.inference_mode():
        for row, text in enumerate(TEXTS):
            encoded = {key: value for key, value in tokenizer(text, return_tensors="pt").items() if key in takes}
            torch.testing.assert_close(together[row], model(**encoded).logits[0].softmax(-1), atol=1e-4, rtol=0)
    assert classifier.classes == (0, 1, 2)  # nobody named them
    if vectors:
        assert len(explain((model, tokenizer), TEXTS[:1], "gradient")[0].scores) == 5
    else:
        with pytest.raises(OptionError, match="no gradients: choose lime"):
            explain((model, tokenizer), TEXTS[:1], "gradient")


def test_places_behind_the_padding_do_not_count():
    config = transformers.RobertaConfig(
        vocab_size=9, max_position_embeddings=40, pad_token_id=1, **foreign_models.SIZES
    )
    assert position_limit(transformers.RobertaForSequenceClassification(config)) == 38


def test_a_text_beyond_the_limit_is_explained_in_windows(parts):
    (explanation,) = explain(parts, ["plot " * 60], "occlusion")
    assert explanation.windows > 1
    assert explanation.truncated_words > 0
    assert len(explanation.scores) == 60


def test_a_model_that_only_numbers_its_classes_can_be_given_their_names(tmp_path):
    folder = foreign_models.save_hugging_face(tmp_path / "bert", id2label=None, label2id=None, num_labels=2)
    assert open_model(folder).classifier.classes == (0, 1)
    assert open_model(folder, Access(classes=("bad", "good"))).classifier.classes == ("bad", "good")
    with pytest.raises(OptionError, match="has 2 classes and 3 were named"):
        open_model(folder, Access(classes=("bad", "so so", "good")))


def test_a_regression_head_is_refused(tmp_path):
    folder = foreign_models.save_hugging_face(tmp_path / "bert", id2label={0: "stars"}, label2id={"stars": 0})
    with pytest.raises(ModelError, match="regression model"):
        open_model(folder)


def test_a_model_without_its_tokenizer_is_refused(parts):
    with pytest.raises(OptionError, match="give its tokenizer too"):
        explain(parts[0], TEXTS)


def test_an_encoder_without_a_head_is_refused(tiny_bert):
    with pytest.raises(ModelError, match=r"is BertModel, not a Hugging Face sequence classifier.*whyword train"):
        open_model(tiny_bert)


def test_a_head_that_was_never_saved_is_not_made_up(folder, tmp_path):
    import shutil

    copy = shutil.copytree(folder, tmp_path / "bert")
    safetensors = pytest.importorskip("safetensors.torch")
    tensors = safetensors.load_file(copy / "model.safetensors")
    kept = {name: tensor for name, tensor in tensors.items() if not name.startswith("classifier")}
    safetensors.save_file(kept, copy / "model.safetensors", {"format": "pt"})
    with pytest.raises(ModelError, match="has no trained classification head"):
        open_model(copy)


def test_pickled_weights_are_refused_unless_allowed(folder, tmp_path):
    import shutil

    copy = shutil.copytree(folder, tmp_path / "bert")
    model = transformers.AutoModelForSequenceClassification.from_pretrained(copy)
    torch.save(model.state_dict(), copy / "pytorch_model.bin")
    (copy / "model.safetensors").unlink()
    with pytest.raises(ModelError, match=r"pytorch_model\.bin, a pickle.*--allow-pickle"):
        open_model(copy)
    words = [split(TEXTS[0])]
    allowed = open_model(copy, Access(allow_pickle=True)).classifier.probabilities(words)
    torch.testing.assert_close(allowed, open_model(folder).classifier.probabilities(words))


def test_workers_elsewhere_find_the_folder(folder, monkeypatch):
    monkeypatch.chdir(folder.parent)
    assert open_model("hf:bert").place == f"hf:{folder}"
    assert open_model("bert").place == str(folder)


def test_a_name_that_is_not_on_this_machine_is_not_downloaded():
    with pytest.raises(ModelError, match="allow a download"):
        open_model("hf:nobody/has-this-model")


def test_folders_of_others_are_told_apart(tmp_path, folder):
    assert HuggingFace.recognizes(str(folder))
    assert not HuggingFace.recognizes(str(tmp_path))
    (tmp_path / "config.json").write_text(json.dumps({"whyword": "0.2.0", "model_type": "x"}), encoding="utf-8")
    assert not HuggingFace.recognizes(str(tmp_path))
    assert not HuggingFace.recognizes(object())
