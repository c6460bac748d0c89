"""Files and folders in an object store: a real server that speaks S3, and the memory of this process."""

import json
from pathlib import Path

import pytest

from whyword import write_predictions
from whyword.interfaces.errors import WriteError
from whyword.storage.part_file import PartFile

pytest.importorskip("upath", reason="the extra remote is not installed")
from upath import UPath


@pytest.fixture
def lines(data) -> bytes:
    texts = [line.split('"')[1] for line in data.read_text(encoding="utf-8").splitlines()[1:]]
    return "".join(json.dumps({"text": text}) + "\n" for text in texts).encode()


@pytest.fixture
def memory():
    folder = UPath("memory://test")
    (folder / "in").mkdir(parents=True)
    yield folder
    folder.fs.rm("/test", recursive=True)


@pytest.fixture(scope="module")
def bucket():
    """A bucket of a server on 127.0.0.1."""
    server = pytest.importorskip("moto.server").ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    pytest.importorskip("s3fs")
    server.start()
    with pytest.MonkeyPatch.context() as patch:
        host, port = server.get_host_and_port()
        patch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            patch.setenv(name, "test")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        bucket = UPath("s3://texts", use_listings_cache=False)
        bucket.fs.mkdir("texts")
        yield bucket
    server.stop()


def same(far, here: str) -> bool:
    names = sorted(path.name for path in Path(here).iterdir())
    return names == sorted(path.name for path in far.iterdir()) and all(
        (far / name).read_bytes() == Path(here, name).read_bytes() for name in names
    )


def test_a_bucket_is_read_and_written_as_folders_are(whyword, model, lines, bucket):
    half = len(lines[: lines.index(b"\n", len(lines) // 2) + 1])
    Path("in").mkdir()
    for name, content in (("a", lines[:half]), ("b", lines[half:])):
        (bucket / "in" / f"{name}.jsonl").write_bytes(content)
        Path("in", f"{name}.jsonl").write_bytes(content)
    bucket.fs.put(str(model), "texts/model", recursive=True)
    words = ("--part-size", 8, "--explainer", "lime", "--samples", 16, "-o")
    done = whyword("explain", "s3://texts/model", "s3://texts/in", *words, "s3://texts/out/reasons")
    assert done.code == 0
    assert done.err.endswith("Wrote 40 explanations to s3://texts/out/reasons.\n")
    assert whyword("explain", model, "in", *words, "out").code == 0
    assert same(bucket / "out" / "reasons", "out")
    (bucket / "out" / "reasons" / "part-00002.jsonl").unlink()
    again = whyword("explain", "s3://texts/model", "s3://texts/in", *words, "s3://texts/out/reasons")
    assert "5 of 6 parts are in s3://texts/out/reasons already.\n" in again.err
    assert same(bucket / "out" / "reasons", "out")


@pytest.mark.parametrize("packed", ["", ".gz"])
def test_a_single_file_goes_where_its_url_says(whyword, model, lines, memory, monkeypatch, tmp_path, packed):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "kept"))
    here = Path("texts.jsonl")
    here.write_bytes(lines)
    if packed:
        import gzip

        lines = gzip.compress(lines)
    (memory / "in" / f"texts.jsonl{packed}").write_bytes(lines)
    for ending in ("jsonl", "csv", "parquet"):
        url = f"memory://test/new/out.{ending}"
        done = whyword("predict", model, f"memory://test/in/texts.jsonl{packed}", "-o", url)
        assert done.code == 0
        assert done.err.endswith(f"Wrote 40 predictions to {url}.\n")
        whyword("predict", model, here, "-o", f"out.{ending}")
        assert UPath(url).read_bytes() == Path(f"out.{ending}").read_bytes()
    assert not any(Path("kept/whyword/unfinished").iterdir())


def test_rows_for_a_url_wait_on_this_machine(memory, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    output = memory / "out.jsonl"

    def chunks():
        yield [{"row": 1}], 1
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        PartFile(output, {}).extend(chunks())
    part = PartFile(output, {})
    assert (part.texts, output.exists()) == (1, False)
    assert tmp_path in part.rows.parents
    part.extend([([{"row": 2}], 1)])
    part.put()
    assert output.read_bytes() == b'{"row": 1}\n{"row": 2}\n'


def test_an_audit_reads_and_writes_urls(whyword, model, data, memory):
    (memory / "in" / "reviews.csv").write_bytes(data.read_bytes())
    options = ("--explainers", "own", "--sample", 6, "--draws", 1, "-q")
    done = whyword("audit", model, "memory://test/in/reviews.csv", "-o", "memory://test/audit.html", *options)
    assert done.code == 0, done.err
    assert json.loads((memory / "audit.json").read_bytes())
    assert "<html" in (memory / "audit.html").read_text(encoding="utf-8")


def test_training_reads_a_url(whyword, data, memory):
    (memory / "in" / "reviews.csv").write_bytes(data.read_bytes())
    done = whyword("train", "memory://test/in/reviews.csv", "-o", "new", "--encoder", "tfidf", "-q")
    assert done.code == 0, done.err
    assert Path("new/config.json").exists()


def test_other_commands_read_a_url_too(whyword, model, data, memory):
    (memory / "in" / "reviews.csv").write_bytes(data.read_bytes())
    url = "memory://test/in/reviews.csv"
    for words in (("words", model, url, "--json"), ("check", url)):
        done = whyword(*words)
        assert done.code == 0, done.err
    done = whyword("compare", url, "--encoders", "tfidf", "--methods", "base", "--seeds", 1, "-o", "grid", "-q")
    assert done.code == 0, done.err


def test_file_urls_are_paths(whyword, model, data, tmp_path):
    url = f"file://{tmp_path}/out"
    assert whyword("predict", model, f"file://{data}", "-o", url, "--part-size", 30).code == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir())[:2] == ["part-00000.jsonl", "part-00001.jsonl"]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["memory://test/none.csv", "-o", "out"], "There is no file or folder memory://test/none.csv"),
        (["memory://test/in", "-o", "out"], "holds no data files"),
        (["memory://test/in", "-o", "memory://test/in"], "is the folder that is read"),
        (["memory://test/in", "-o", "out.jsonl"], "is a folder: write to a folder too"),
        (["nosuch://test/in", "-o", "out"], "nosuch://test/in is no place that can be reached"),
        (["reviews.csv", "-o", "memory://test/out.txt"], "must end in .jsonl"),
    ],
)
def test_a_url_that_cannot_be_used_is_told_in_a_sentence(refused, model, data, memory, words, complaint):
    assert complaint in refused("predict", model, *words)


def test_a_model_that_is_not_at_its_url_is_told_in_a_sentence(refused, data, memory):
    assert "There is no model folder memory://test/model" in refused("predict", "memory://test/model", data)


def test_a_model_that_cannot_be_fetched_is_told_in_a_sentence(refused, model, data, memory, monkeypatch):
    memory.fs.put(str(model), "/test/model", recursive=True)

    def broken(*_, **__):
        raise RuntimeError("token expired")

    monkeypatch.setattr(type(memory.fs), "get", broken)
    assert "memory://test/model cannot be read (token expired)" in refused("predict", "memory://test/model", data)


def test_an_address_of_the_web_is_a_text(whyword, model):
    assert "http://example.com/a.b" in whyword("predict", model, "http://example.com/a.b").out


def test_a_store_that_nobody_serves_is_told_in_a_sentence(refused, model, data, monkeypatch):
    pytest.importorskip("s3fs")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    UPath("s3://none/in").fs.clear_instance_cache()
    assert "s3://none/in cannot be reached" in refused("predict", model, "s3://none/in", "-o", "out")


def test_a_part_that_cannot_be_uploaded_stops_the_run_with_a_sentence(model, data, memory, monkeypatch):
    def full(*_):
        raise RuntimeError("quota exceeded")

    monkeypatch.setattr(type(memory.fs), "put_file", full)
    with pytest.raises(WriteError, match="cannot be written \\(quota exceeded\\): check the URL"):
        write_predictions(model, data, "memory://test/out")


def test_without_the_extra_a_sentence_names_it(refused, model, data, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "upath", None)
    assert "whyword[remote]" in refused("predict", model, data, "-o", "s3://texts/out")
