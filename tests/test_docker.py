"""The images and the compose file name files, options and routes that exist."""

import json
import re
from pathlib import Path

import pytest
import typer.main

from whyword.cli.app import app
from whyword.web.middleware import ROUTES

DOCKER = Path(__file__).parents[1] / "docker"
FILES = sorted(DOCKER.glob("*.Dockerfile"))
SERVE = {
    name
    for parameter in typer.main.get_command(app).commands["serve"].params
    for name in (*parameter.opts, *parameter.secondary_opts)
}


def instructions(file):
    """Instructions of a Dockerfile with their arguments, lines joined."""
    text = re.sub(r"\\\n\s*", " ", file.read_text(encoding="utf-8"))
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [tuple(line.split(maxsplit=1)) for line in lines]


def options(words):
    return {word.partition("=")[0] for word in words if word.startswith("--")}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_an_image_runs_an_existing_command_as_an_ordinary_user_and_looks_after_its_health(file):
    found = instructions(file)
    last = dict(found)  # the last of each kind is that of the final image
    command = json.loads(last["ENTRYPOINT"])
    assert command[:2] == ["whyword", "serve"]
    assert options(command)
    assert options(command) <= SERVE
    assert int(last["USER"].partition(":")[0]) > 0
    route = re.search(r"127\.0\.0\.1:8000(/[\w/]+)", last["HEALTHCHECK"])[1]
    assert route in ROUTES or route.startswith("/v2/health/")
    for source in (word for name, rest in found if name == "COPY" for word in rest.split()[:-1]):
        assert source.startswith("--from=") or source == "/venv" or (DOCKER.parent / source).exists(), source


def test_the_compose_file_serves_a_read_only_model_with_existing_options():
    yaml = pytest.importorskip("yaml")
    (service,) = yaml.safe_load((DOCKER / "compose.yaml").read_text(encoding="utf-8"))["services"].values()
    assert (DOCKER.parent / service["build"]["dockerfile"]).is_file()
    assert options(service["command"])
    assert options(service["command"]) <= SERVE
    assert service["read_only"]
    assert service["cap_drop"] == ["ALL"]
    assert [volume.rsplit(":", 2)[-2:] for volume in service["volumes"]] == [["/model", "ro"]]
    assert service["ports"][0].startswith("127.0.0.1:")
    timeout = float(service["command"][service["command"].index("--timeout") + 1])
    assert int(service["stop_grace_period"].removesuffix("s")) >= 2 * timeout  # as docs/serve.md asks


def test_both_images_install_the_torch_and_packages_that_the_tests_ran_with():
    pins = set((DOCKER.parent / "constraints.txt").read_text(encoding="utf-8").split())
    assert re.findall(r"torch==[\d.]+", (DOCKER / "serve-model.Dockerfile").read_text())[0] in pins
    served = (DOCKER / "serve-requirements.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in served if not line.startswith("#") and line not in pins] == []
