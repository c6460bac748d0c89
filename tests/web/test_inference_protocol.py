"""The Open Inference Protocol and the routes of KServe v1, as their clients ask."""

import json

import pytest

from whyword.web.inference_protocol import route_of
from whyword.web.limits import Settings

TWO = ["superb food", "awful service"]


def tensor(*texts, name="text", **more):
    return {"name": name, "shape": [len(texts)], "datatype": "BYTES", "data": list(texts), **more}


def infer(client, *inputs, path="/v2/models/vmask/infer", **more):
    return client.post(path, {"inputs": list(inputs), **more})


def test_the_server_and_its_models_are_alive_ready_and_described(client):
    assert client.get("/v2").json()["name"] == "whyword"
    assert client.get("/v2/health/live").json() == {"live": True}
    assert client.get("/v2/health/ready").json() == {"ready": True}
    for path in ("/v2/models/base", "/v2/models/base/versions/1"):
        facts = client.get(path).json()
        assert (facts["name"], facts["versions"], facts["platform"]) == ("base", ["1"], "whyword_whyword")
        assert facts["inputs"][0] == {"name": "text", "datatype": "BYTES", "shape": [-1]}
        assert facts["outputs"][0] == {"name": "probabilities", "datatype": "FP32", "shape": [-1, 2]}
        assert client.get(f"{path}/ready").json() == {"name": "base", "ready": True}
    assert client.get("/v1/models/base").json() == {"name": "base", "ready": True}


def test_an_inference_gives_what_predict_gives(client):
    expected = client.post("/v1/predict", {"texts": TWO}).json()["predictions"]
    answer = infer(client, tensor(*TWO), id="seven").json()
    assert (answer["model_name"], answer["model_version"], answer["id"]) == ("vmask", "1", "seven")
    probabilities, label = answer["outputs"]
    assert (probabilities["shape"], probabilities["datatype"]) == ([2, 2], "FP32")
    flat = [p for row in expected for p in row["probabilities"].values()]
    assert probabilities["data"] == pytest.approx(flat, abs=1e-6)
    assert label == {"name": "label", "datatype": "BYTES", "shape": [2], "data": [row["label"] for row in expected]}
    nested = infer(client, tensor(shape=[2, 1], data=[[TWO[0]], [TWO[1]]]), outputs=[{"name": "label"}])
    assert nested.json()["outputs"] == [label]


def test_pairs_are_two_inputs(client):
    (pair,) = client.post("/v1/predict", {"texts": [TWO]}).json()["predictions"]
    answer = infer(client, tensor(TWO[0]), tensor(TWO[1], name="text_pair")).json()
    assert answer["outputs"][0]["data"] == pytest.approx(list(pair["probabilities"].values()), abs=1e-6)


def test_explanations_are_those_of_explain_in_both_versions(client):
    asked = {"explainer": "occlusion", "target": "positive", "top": 1}
    expected = client.post("/v1/explain", {"texts": TWO, "model": "vmask", **asked}).json()["explanations"]
    (output,) = infer(client, tensor(*TWO), path="/v2/models/vmask/explain", parameters=asked).json()["outputs"]
    assert (output["name"], output["datatype"], output["shape"]) == ("explanation", "BYTES", [2])
    of_v2 = [json.loads(text) for text in output["data"]]
    of_v1 = client.post("/v1/models/vmask:explain", {"instances": TWO, "parameters": asked}).json()["explanations"]
    for mine in (of_v2, of_v1):
        for one, other in zip(mine, expected, strict=True):
            assert one["scores"] == pytest.approx(other["scores"], abs=1e-6)
            assert {**one, "seconds": 0, "scores": 0, "all_scores": 0, "probabilities": 0, "probability": 0}.keys() == (
                other.keys()
            )


def test_kserve_v1_predicts(client):
    expected = client.post("/v1/predict", {"texts": TWO}).json()["predictions"]
    given = client.post("/v1/models/vmask:predict", {"instances": TWO}).json()["predictions"]
    assert [row["label"] for row in given] == [row["label"] for row in expected]


@pytest.mark.parametrize(
    ("inputs", "more", "status", "said"),
    [
        ([tensor(*TWO, shape=[3])], {}, 422, "has the shape [3] and 2 values"),
        ([tensor()], {}, 422, "one at least"),
        ([tensor("a", name="text_pair")], {}, 422, "Give one input 'text'"),
        ([tensor("a"), tensor("a")], {}, 422, "Give one input 'text'"),
        ([tensor("a"), tensor("a", "b", name="text_pair")], {}, 422, "give as many"),
        ([tensor(7)], {}, 422, "Text 0 of the input 'text' is no string"),
        ([tensor("a", datatype="FP32")], {}, 422, "not as expected"),
        ([], {}, 422, "not as expected"),
        ([tensor("a")], {"outputs": [{"name": "lable"}]}, 422, "Did you mean 'label'?"),
        ([tensor("a")], {"path": "/v2/models/vmsk/infer"}, 404, "Did you mean 'vmask'?"),
        ([tensor("a")], {"path": "/v2/models/vmask/versions/2/infer"}, 422, "every model has the version 1"),
        ([tensor("a")], {"path": "/v2/models/vmask/explain", "parameters": {"explaner": "own"}}, 422, "'explainer'?"),
        (
            [tensor("a")],
            {"path": "/v2/models/vmask/explain", "parameters": {"top": 0}},
            422,
            "'top' is not as expected",
        ),
        ([tensor("a")], {"path": "/v2/models/vmask/explain", "parameters": {"model": "base"}}, 422, "No 'model' in"),
    ],
)
def test_what_is_wrong_is_told_in_the_form_of_the_protocol(client, inputs, more, status, said):
    answer = infer(client, *inputs, **more)
    assert answer.status_code == status
    assert answer.json().keys() == {"error"}
    assert said in answer.json()["error"]


def test_tensors_as_bytes_are_refused_in_a_sentence(client):
    answer = client.post(
        "/v2/models/vmask/infer", {"inputs": [tensor("a")]}, headers={"Inference-Header-Content-Length": "9"}
    )
    assert (answer.status_code, "binary_data=False" in answer.json()["error"]) == (422, True)


def test_the_token_guards_models_and_leaves_health_open(client_of):
    client = client_of(Settings(token="sesame"))
    for path in ("/v2", "/v2/health/live", "/v2/health/ready"):
        assert client.get(path).status_code == 200
    assert client.get("/v2/models/vmask").status_code == 401
    assert infer(client, tensor("a")).status_code == 401


def test_the_log_names_routes_without_what_users_wrote(client):
    infer(client, tensor(*TWO))
    client.get("/v2/models/secret/versions/1/ready")
    client.post("/v1/models/secret:explain", {"instances": TWO})
    assert [line["route"] for line in client.log] == [
        "/v2/models/{name}/infer",
        "/v2/models/{name}/ready",
        "/v1/models/{name}:explain",
    ]
    assert client.log[0]["texts"] == 2
    assert route_of("/v1/models/a/b") is None
    assert route_of("/v2/models/a/whatever") == "/v2/models/{name}"
