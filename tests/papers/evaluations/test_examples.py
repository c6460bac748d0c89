import json

import pytest

from reference.trials import tiny_run, tiny_trial
from whyword.explaining.stream import explain_documents, make_explainer
from whyword.papers.evaluations.examples import Examples
from whyword.papers.reproduction.showing import texts_with_words


def test_the_same_texts_are_explained_by_every_model_with_their_own_scores(tmp_path):
    answers = {}
    for method in ("attention", "vmask"):
        trial = tiny_trial(tmp_path, tiny_run(method))
        dataset = trial.dataset()
        model = trial.model(dataset)
        answers["planted", method] = [answer] = [Examples(texts=2, top=2).ask(model, dataset, trial)]
        assert json.loads(json.dumps(answer))["texts"][0]["words"]
        for found in answer["texts"]:
            (document,) = (d for d in dataset.test if d.words.texts[0] == found["text"])
            (own,) = explain_documents(model.classifier, [document], make_explainer("own", model.classifier, 0))
            assert found["scores"] == pytest.approx(own.scores.tolist(), rel=1e-5)  # they were explained in one batch
            assert [word for word, _ in found["top"]] == [word for word, _ in own.top(2)]
            assert (found["gold"], found["label"]) == (document.label, own.label)
    first, second = ([text["text"] for text in answer["texts"]] for (answer,) in answers.values())
    assert first == second
    assert first[0] in texts_with_words(answers)


def test_both_texts_of_a_pair_are_kept(tmp_path):
    trial = tiny_trial(tmp_path, tiny_run("attention"), data="planted:pairs,train=20,dev=5,test=5")
    dataset = trial.dataset()
    (text,) = Examples(texts=1).ask(trial.model(dataset), dataset, trial)["texts"]
    assert any((text["text"], text["text_pair"]) == document.words.texts for document in dataset.test)
