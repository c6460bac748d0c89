"""Small models of other libraries that tell the planted reviews apart, as their libraries save them."""

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from reference.tokenizers import letter_pieces
from whyword.data.planted import planted

DOCUMENTS = planted("easy,train=40,dev=0,test=0").train
TEXTS = [document.words.texts[0] for document in DOCUMENTS]
LABELS = [str(document.label) for document in DOCUMENTS]
CLASSES = sorted(set(LABELS))
SPECIAL = {
    "unk_token": "[UNK]",
    "sep_token": "[SEP]",
    "pad_token": "[PAD]",
    "cls_token": "[CLS]",
    "mask_token": "[MASK]",
}
SIZES = {"hidden_size": 12, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 16}


def hugging_face(limit: int = 40, **settings: Any) -> tuple[Any, Any]:
    """Make a random BERT with clear preferences, and its tokenizer of letters."""
    transformers = pytest.importorskip("transformers")
    backend = letter_pieces()
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=backend, model_max_length=limit, **SPECIAL)
    labels = {"id2label": dict(enumerate(CLASSES)), "label2id": {name: i for i, name in enumerate(CLASSES)}}
    config = transformers.BertConfig(
        vocab_size=backend.get_vocab_size(),
        max_position_embeddings=limit,
        initializer_range=0.5,
        **{**SIZES, **labels, **settings},
    )
    torch.manual_seed(0)
    return transformers.BertForSequenceClassification(config).eval(), tokenizer


def save_hugging_face(folder: Path, **settings: Any) -> Path:
    for part in hugging_face(**settings):
        part.save_pretrained(folder)
    return folder


def scikit_learn() -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    return make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(TEXTS, LABELS)


def fasttext(folder: Path, loss: str = "softmax") -> Any:
    library = pytest.importorskip("fasttext")
    file = folder / "texts.txt"
    lines = [f"__label__{label} {text}\n" for text, label in zip(TEXTS, LABELS, strict=True)]
    file.write_text("".join(lines), encoding="utf-8")
    return library.train_supervised(str(file), epoch=20, lr=1.0, dim=8, thread=1, verbose=0, loss=loss)


def spacy(component: str = "textcat") -> Any:
    library = pytest.importorskip("spacy")
    from spacy.training import Example

    nlp = library.blank("en")
    exclusive = component == "textcat"
    bag = {"@architectures": "spacy.TextCatBOW.v3", "exclusive_classes": exclusive, "ngram_size": 1, "length": 1024}
    categorizer = nlp.add_pipe(component, config={"model": {**bag, "no_output_layer": False}})
    for label in CLASSES:
        categorizer.add_label(label)
    examples = [
        Example.from_dict(nlp.make_doc(text), {"cats": {name: float(name == label) for name in CLASSES}})
        for text, label in zip(TEXTS, LABELS, strict=True)
    ]
    nlp.initialize(lambda: examples)
    for _ in range(5):
        nlp.update(examples)
    return nlp


def onnx(folder: Path, classes: int = 2, extra_input: str | None = None) -> Path:
    """Write a graph whose logits are sums over the tokens of random weights, with its tokenizer and config."""
    library = pytest.importorskip("onnx")
    from onnx import TensorProto, helper, numpy_helper

    backend = letter_pieces()
    weights = onnx_weights(backend.get_vocab_size(), classes)
    inputs = ["input_ids", "attention_mask", *([extra_input] if extra_input else [])]
    graph = helper.make_graph(
        [
            helper.make_node("Gather", ["weights", "input_ids"], ["gathered"]),
            helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
            helper.make_node("Unsqueeze", ["mask", "last"], ["wide"]),
            helper.make_node("Mul", ["gathered", "wide"], ["kept"]),
            helper.make_node("ReduceSum", ["kept", "time"], ["logits"], keepdims=0),
        ],
        "bag",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "time"]) for name in inputs],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", classes])],
        [
            numpy_helper.from_array(weights, "weights"),
            numpy_helper.from_array(np.array([2]), "last"),
            numpy_helper.from_array(np.array([1]), "time"),
        ],
    )
    folder.mkdir(parents=True, exist_ok=True)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    library.save(model, str(folder / "model.onnx"))
    backend.save(str(folder / "tokenizer.json"))
    labels = {str(number): name for number, name in enumerate(CLASSES[:classes])}
    facts = {"id2label": labels, "max_position_embeddings": 40, "pad_token_id": 0}
    (folder / "config.json").write_text(json.dumps(facts), encoding="utf-8")
    return folder / "model.onnx"


def onnx_weights(tokens: int, classes: int) -> np.ndarray:
    return np.random.default_rng(0).normal(0, 0.3, (tokens, classes)).astype(np.float32)


def share_of_e(texts: Sequence[Any]) -> np.ndarray:
    """Call a text positive by its share of the letter e."""
    joined = [text if isinstance(text, str) else " ".join(text) for text in texts]
    share = np.array([(1 + text.count("e")) / (2 + len(text)) for text in joined])
    return np.stack([1 - share, share], axis=1)


def _json(content: Any) -> bytes:
    return json.dumps(content).encode()


@contextmanager
def server(answer: Any, headers: Mapping[str, str] | None = None) -> Iterator[tuple[str, list[Any]]]:
    """Run a server that answers what the function makes of the number and the body of a request, (code, body).

    A body that is an iterator of bytes is sent part by part, as if there were always more to come.

    Gives its URL and the requests so far, each with its headers under "headers".
    """
    requests: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            requests.append({"body": body, "headers": dict(self.headers), "path": self.path})
            code, content = answer(len(requests), body)
            whole = content if isinstance(content, bytes) else None if isinstance(content, Iterator) else _json(content)
            self.send_response(code)
            self.send_header("Content-Length", "999" if whole is None else str(len(whole)))
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            if code == 429:
                self.send_header("Retry-After", "0")
            self.end_headers()
            with suppress(BrokenPipeError, ConnectionResetError):  # of a client that gave up
                for part in content if whole is None else [whole]:
                    self.wfile.write(part)
                    self.wfile.flush()

        def log_message(self, *_: Any) -> None:
            pass

    listener = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.server_port}/classify", requests
    finally:
        listener.shutdown()
        thread.join()
        listener.server_close()


def probabilities_by_label(_: int, body: Any) -> tuple[int, Any]:
    """Answer as whyword serve does."""
    rows = [dict(zip(CLASSES, row, strict=True)) for row in share_of_e(body["texts"]).tolist()]
    return 200, {"predictions": [{"probabilities": row} for row in rows]}


def set_fit() -> Any:
    """Make a SetFit model: a tiny random sentence transformer, and a logistic regression on its vectors."""
    library = pytest.importorskip("setfit")
    transformers = pytest.importorskip("transformers")
    import tempfile

    from sentence_transformers import SentenceTransformer, models

    with tempfile.TemporaryDirectory() as folder:
        backend = letter_pieces()
        transformers.PreTrainedTokenizerFast(tokenizer_object=backend, model_max_length=40, **SPECIAL).save_pretrained(
            folder
        )
        config = transformers.BertConfig(vocab_size=backend.get_vocab_size(), max_position_embeddings=40, **SIZES)
        torch.manual_seed(0)
        transformers.BertModel(config).save_pretrained(folder)
        words = models.Transformer(folder, max_seq_length=40)
        body = SentenceTransformer(modules=[words, models.Pooling(12)], device="cpu")
    from sklearn.linear_model import LogisticRegression

    head = LogisticRegression().fit(body.encode(TEXTS, show_progress_bar=False), LABELS)
    return library.SetFitModel(model_body=body, model_head=head, labels=CLASSES)
