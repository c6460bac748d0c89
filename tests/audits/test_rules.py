from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audits.audit_data import smallest
from whyword.analysis.attention_tests import AttentionTests
from whyword.audits.data import Agreement, MaskHealth, RankRow, ScoreRow, Share
from whyword.audits.rules import HUMAN_LIKE, Measured, Rule, Rules, read_rules
from whyword.audits.verdicts import decide, verdicts, with_verdicts
from whyword.blocks.gates import COLLAPSED, SATURATED
from whyword.interfaces.errors import OptionError
from whyword.interfaces.metric import Score

NAMES = (["comprehensiveness", "posthoc-accuracy", "rationale-auprc", "direction"], ["own", "lime", "occlusion"])
TESTS = ["uniform", "adversarial-share"]
RULE = """
["mine"]
question = "Is it good?"
quantity = "comprehensiveness"
must_be = "above"
threshold = 0.1
needed = true
"""
RANKS = ("do not trust", "use with care", "trust")


def default() -> Rules:
    return read_rules(None, *NAMES, TESTS)


def score(metric="comprehensiveness", explainer="lime", value=0.3, over=0.2, p=0.001, half=0.05, texts=100):
    return ScoreRow(
        metric, explainer, value, value - half, value + half, texts, True, "", over, over - half, over + half, p,
        None, p,
    )  # fmt: skip


def ranked(explainer, share=0.97, half=0.02):
    return RankRow(explainer, share, share - half, share + half, 100, 1.0, 0.001, 0.01)


def data(scores, kind="black box", texts=100, shown="own", **more):
    """An audit of these scores in which all explainers are close to the best, and `shown` shows attention or mask."""
    few = smallest()
    weights = (shown,) if kind in ("attention", "mask") else ()
    model, info = replace(few.model, kind=kind, weights_explainers=weights), replace(few.data, texts=texts)
    names = dict.fromkeys(score.explainer for score in scores)
    ranking = (ranked("best", 1.0, 0.0), *map(ranked, names))
    return replace(few, **{"model": model, "data": info, "scores": tuple(scores), "ranking": ranking, **more})


def share(value, low, high):
    return Share(value, low, high, 100)


def attention_tests(**tests):
    names = {name: name.replace("_", "-") for name in tests}
    return AttentionTests(
        tuple(
            Score(names[name], "own", np.full(100, value), interval, True, "")
            for name, (value, *interval) in tests.items()
        )
    )


def good(explainer="lime", **more):
    direction = score("direction", explainer, value=0.01, half=0.005)
    return [
        score("comprehensiveness", explainer, **more),
        score("posthoc-accuracy", explainer, value=0.9, **more),
        direction,
    ]


def verdict(audited, rules=None):
    return verdicts(audited, rules or default())[0].verdict


def test_what_holds_is_trusted_and_the_reason_counts_the_rules():
    (found,) = verdicts(data(good()), default())
    assert (found.verdict, found.because) == ("trust", "All 8 rules hold.")
    assert [result.rule for result in found.rules][-1] == "enough texts"


def test_random_words_are_not_judged():
    assert [row.explainer for row in verdicts(data([*good(), *good("random")]), default())] == ["lime"]


def test_who_is_no_better_than_random_words_is_not_trusted():
    (found,) = verdicts(data(good(over=0.01, p=0.4)), default())
    assert found.verdict == "do not trust"
    assert "p = 0.80 after Holm's correction" in found.because


def test_a_plain_no_is_the_reason_before_a_doubt_that_counts_as_one():
    scores = [score(over=0.01, p=0.4), score("posthoc-accuracy", value=0.9, over=-0.2, p=0.001), good()[2]]
    (found,) = verdicts(data(scores), default())
    assert "posthoc-accuracy over random: -0.200 [-0.250, -0.150]; must be above 0" in found.because


def test_few_texts_leave_doubt_and_never_give_trust():
    assert verdict(data(good(texts=29), texts=29)) == "use with care"
    assert verdict(data(good(over=0.01, p=0.4, texts=29), texts=29)) == "use with care"


def test_a_difference_that_may_be_chance_does_not_hold():
    rule = next(rule for rule in default().rules if rule.name == "top words carry the answer")
    assert decide(rule, Measured(0.2, 0.1, 0.3, 100, 0.01)) is True
    assert decide(rule, Measured(0.2, 0.1, 0.3, 100, 0.06)) is None
    assert decide(rule, Measured(0.2, 0.1, 0.3, 100, None)) is None


@pytest.mark.parametrize("side", ["above", "below"])
def test_a_rule_is_decided_by_the_whole_interval(side):
    rule = Rule("r", "?", "texts", side, 0.5, True)
    straddles = Measured(0.5, 0.4, 0.6, 100)
    assert [decide(rule, replace(straddles, value=value)) for value in (0.45, 0.55)] == [None, None]
    over, under = Measured(0.7, 0.51, 0.8, 100), Measured(0.3, 0.2, 0.49, 100)
    assert [decide(rule, measured) for measured in (over, under)] == [side == "above", side == "below"]
    assert decide(rule, Measured(0.7, None, None, 1)) is None


def test_a_needed_rule_that_was_not_measured_leaves_doubt_and_a_wanted_one_does_not_count():
    (found,) = verdicts(data([score()]), default())
    assert found.verdict == "use with care"
    assert "was not measured" in found.because
    assert "finds what people marked" not in [result.rule for result in found.rules]


@pytest.mark.parametrize(
    ("opposes", "expected"), [(0.01, "trust"), (0.04, "use with care"), (0.09, "use with care"), (0.2, "do not trust")]
)
def test_a_top_word_may_oppose_the_answer_in_one_text_of_twenty(opposes, expected):
    scores = [*good()[:2], score("direction", value=opposes, half=0.03 * (opposes > 0.01) + 0.005)]
    (found,) = verdicts(data(scores), default())
    assert found.verdict == expected
    assert ("opposes the answer" in found.because) == (opposes > 0.04)


@pytest.mark.parametrize(
    ("share", "expected"), [(0.97, "trust"), (0.91, "use with care"), (0.7, "use with care"), (0.4, "do not trust")]
)
def test_trust_needs_nearly_the_faithfulness_of_the_best(share, expected):
    ranking = (ranked("best", 1.0, 0.0), ranked("lime", share))
    (found,) = verdicts(data(good(), ranking=ranking), default())
    assert found.verdict == expected
    assert ("share of best" in found.because) == (share < 0.95)


def test_who_is_alone_is_judged_by_the_other_rules_and_is_not_the_best_of_anything():
    (found,) = verdicts(data(good(), ranking=(ranked("lime", 1.0, 0.0), ranked("random", 0.1))), default())
    assert found.verdict == "trust"
    assert found.because == "All 6 rules hold. No other explainer was audited to compare it with."
    assert "share of best" not in [result.quantity for result in found.rules]


def test_a_share_of_the_best_that_is_undefined_leaves_doubt():
    undefined = replace(ranked("lime"), share=None, low=None, high=None)
    (found,) = verdicts(data(good(), ranking=(undefined, ranked("other", 1.0))), default())
    assert found.verdict == "use with care"
    assert "'half as faithful as the best' is needed" in found.because


def test_chance_is_corrected_for_the_rules_of_one_explainer_and_verdict_alone():
    marked = score("rationale-auprc", p=0.04)
    for beside in ([], [score(f"metric {n}", name, p=0.5) for n in range(9) for name in ("lime", "own")]):
        audited = data([*good(p=0.03), *beside, marked])
        (found, *_) = verdicts(audited, default())
        assert [result.p for result in found.rules if result.p is not None] == pytest.approx([0.06, 0.06])
        assert "p = 0.06 after Holm's correction" in found.because
        (found, *_) = verdicts(with_marks(audited), default(), HUMAN_LIKE)
        assert [result.p for result in found.rules if result.p is not None] == [0.04]


def test_a_difference_that_two_rules_ask_about_is_one_comparison():
    rule = default().rules[0]
    rules = Rules((rule, replace(rule, name="again", threshold=0.1)), "x")
    (found,) = verdicts(data(good(p=0.04)), rules)
    assert [result.p for result in found.rules] == [0.04, 0.04]


def with_marks(audited):
    return replace(audited, data=replace(audited.data, has_rationales=True))


def human_like(audited):
    (found,) = verdicts(with_marks(audited), default(), HUMAN_LIKE)
    return found.verdict


@pytest.mark.parametrize(
    ("over", "p", "texts", "closest", "expected"),
    [
        (0.2, 0.001, 100, (0.97, 0.95, 0.99), "human-like"),
        (0.2, 0.001, 100, (0.7, 0.6, 0.8), "partly human-like"),
        (0.2, 0.001, 100, (0.9, 0.8, 1.0), "partly human-like"),
        (0.01, 0.4, 100, (0.1, 0.0, 0.2), "not human-like"),
        (0.01, 0.4, 20, (0.1, 0.0, 0.2), "undecided"),
        (-0.2, 0.001, 20, (0.1, 0.0, 0.2), "not human-like"),
    ],
    ids=["like the best", "worse than the best", "cannot be told from the best", "like random", "few", "below random"],
)
def test_who_finds_what_people_marked_is_human_like_and_no_truer_for_that(over, p, texts, closest, expected):
    audited = data(
        [*good(), score("rationale-auprc", over=over, p=p, texts=texts)], human_shares={"lime": share(*closest)}
    )
    assert human_like(audited) == expected
    (found,) = verdicts(with_marks(audited), default())
    assert (found.verdict, found.because) == ("trust", "All 8 rules hold.")


def test_without_marked_words_nobody_is_human_like_or_not():
    (found,) = verdicts(data(good()), default(), HUMAN_LIKE)
    assert (found.verdict, found.because) == ("not measured", "No text says which words people marked.")
    (found,) = verdicts(with_marks(data(good())), default(), HUMAN_LIKE)
    assert found.verdict == "not measured"
    assert "'finds what people marked' is needed" in found.because


@pytest.mark.parametrize(
    ("share_of_best", "expected"),
    [(0.4, "is convincing, but not the model's reason"), (0.78, "may not be the model's reason"), (0.97, None)],
)
def test_who_is_human_like_and_not_true_is_warned_of(share_of_best, expected):
    audited = data(
        [*good(), score("rationale-auprc", over=0.3)],
        ranking=(ranked("best", 1.0, 0.0), ranked("lime", share_of_best)),
        human_shares={"lime": share(1.0, 1.0, 1.0)},
    )
    audited = with_verdicts(with_marks(audited), default())
    assert [expected in warning for warning in audited.warnings] == ([] if expected is None else [True])


def test_what_people_would_mark_is_never_the_reason_however_good_its_numbers_are():
    audited = data([*good(), score("rationale-auprc", over=0.3)], of_people=("lime",))
    audited = with_verdicts(with_marks(audited), default())
    (true,) = audited.verdicts
    assert (true.verdict, all(result.holds for result in true.rules)) == ("do not trust", True)
    (warning,) = audited.warnings
    assert warning.endswith("not to be trusted. It says what people would mark, whatever the model does.")


def test_who_is_not_human_like_is_not_warned_of():
    audited = data([*good(over=0.01, p=0.4), score("rationale-auprc", over=0.0, p=0.9)])
    assert with_verdicts(with_marks(audited), default()).warnings == ()


def test_a_direction_that_was_not_measured_leaves_doubt():
    (found,) = verdicts(data(good()[:2]), default())
    assert found.verdict == "use with care"
    assert "'right in direction' is needed" in found.because


def test_nobody_is_compared_with_themselves():
    pairs = (Agreement("lime", "occlusion", 0.5, 0.4, 0.6, 100),)
    found = verdicts(data([*good(), *good("occlusion")], agreement=pairs), default())
    rules = {row.explainer: [result.rule for result in row.rules] for row in found}
    assert "agrees with leaving words out" in rules["lime"]
    assert "agrees with leaving words out" not in rules["occlusion"]


@pytest.mark.parametrize(
    ("uniform", "adversarial_share", "expected"),
    [
        ((0.001, 0.0, 0.02), (0.3, 0.2, 0.4), "do not trust"),
        ((0.2, 0.1, 0.3), (0.3, 0.2, 0.4), "trust"),
        ((0.2, 0.1, 0.3), (0.8, 0.7, 0.9), "use with care"),
    ],
    ids=["decides nothing", "decides", "one of many"],
)
def test_attention_must_change_something_and_be_without_alternative(uniform, adversarial_share, expected):
    tests = attention_tests(uniform=uniform, adversarial_share=adversarial_share)
    assert verdict(data(good("own"), "attention", attention_tests=tests)) == expected
    assert verdict(data(good("lime"), "attention", attention_tests=tests)) == "trust"  # attention is nothing to LIME


def test_attention_beside_contributions_is_judged_under_its_own_name():
    tests = attention_tests(uniform=(0.001, 0.0, 0.002), adversarial_share=(0.3, 0.2, 0.4))
    found = verdicts(
        data([*good("own"), *good("attention")], "attention", shown="attention", attention_tests=tests), default()
    )
    assert [row.verdict for row in found] == ["trust", "do not trust"]


def test_a_test_of_attention_that_is_undefined_leaves_doubt():
    tests = attention_tests(uniform=(np.nan, np.nan, np.nan), adversarial_share=(0.3, 0.2, 0.4))
    assert verdict(data(good("own"), "attention", attention_tests=tests)) == "use with care"


@pytest.mark.parametrize(
    ("spread", "mean", "expected"),
    [(0.2, 0.5, "trust"), (0.01, 0.5, "do not trust"), (0.2, 0.99, "do not trust")],
    ids=["alive", "collapsed", "saturated"],
)
def test_a_mask_must_be_alive(spread, mean, expected):
    mask = MaskHealth({"keep_sd": spread, "keep_mean": mean}, None)
    assert verdict(data(good("own"), "mask", mask=mask)) == expected
    assert verdict(data(good("lime"), "mask", mask=mask)) == "trust"  # the mask is nothing to LIME


def test_masks_are_judged_where_training_warns():
    thresholds = {rule.name: rule.threshold for rule in default().rules}
    assert (thresholds["mask is alive"], thresholds["mask holds back"]) == (COLLAPSED, SATURATED)


def test_samples_that_have_not_converged_ask_for_care():
    (found,) = verdicts(data(good(), converged={"lime": share(0.2, 0.1, 0.3)}), default())
    assert (found.verdict, found.because[:8]) == ("use with care", "In too m")


def test_without_any_rule_nothing_is_trusted():
    rules = Rules((replace(default().rules[0], explainers=("own",)),), "x")
    assert verdict(data(good()), rules) == "use with care"


numbers = st.floats(-1, 1)


@given(
    st.tuples(numbers, numbers, numbers).map(sorted), numbers, numbers, st.booleans(), st.booleans(),
    st.sampled_from([None, 30]), st.sampled_from([5, 100]), st.sampled_from([None, 0.01, 0.3]),
)  # fmt: skip
def test_a_stricter_threshold_never_improves_a_verdict(ends, one, other, above, needed, proof, texts, p):
    low, value, high = ends
    easy, strict = sorted([one, other], reverse=not above)
    rule = Rule("r", "?", "m over random", "above" if above else "below", easy, needed, proof_from=proof)
    row = ScoreRow("m", "lime", None, None, None, texts, True, "", value, low, high, p, None, p)
    found = [verdict(data([row]), Rules((r,), "x")) for r in (rule, replace(rule, threshold=strict))]
    assert RANKS.index(found[1]) <= RANKS.index(found[0])


def write(folder: Path, text: str) -> Path:
    file = folder / "rules.toml"
    file.write_text(text)
    return file


def test_a_rule_belongs_to_the_verdict_that_it_names_or_that_its_quantity_is_about(tmp_path):
    marked = RULE.replace('"comprehensiveness"', '"rationale-auprc"')
    for text, expected in (
        (RULE, "true"),
        (marked, "human-like"),
        (marked + 'verdict = "true"', "true"),
        (RULE.replace('"comprehensiveness"', '"share of best agreement"'), "human-like"),
        (RULE + 'verdict = "human-like"', "human-like"),
    ):
        assert [rule.verdict for rule in read_rules(write(tmp_path, text), *NAMES, TESTS).rules] == [expected]


def test_a_file_replaces_our_rules(tmp_path):
    rules = read_rules(write(tmp_path, RULE), *NAMES, TESTS)
    assert [(rule.name, rule.threshold) for rule in rules.rules] == [("mine", 0.1)]
    assert rules.source == str(tmp_path / "rules.toml")
    assert default().source == "default"


@pytest.mark.parametrize(
    ("old", "new"), [("settled", "converged"), ("belief uniform", "attention_tests uniform")], ids=["settled", "belief"]
)
def test_quantities_are_read_by_the_names_of_earlier_versions(tmp_path, old, new):
    file = write(tmp_path, RULE.replace('"comprehensiveness"', f'"{old}"'))
    assert [rule.quantity for rule in read_rules(file, *NAMES, TESTS).rules] == [new]
    with pytest.raises(OptionError, match="attention_tests uniformm"):
        read_rules(write(tmp_path, RULE.replace('"comprehensiveness"', '"belief uniformm"')), *NAMES, TESTS)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["holds no rules"]),
        ("mine = 3", ["'mine'", "table"]),
        ('["mine', ["not written in TOML"]),
        (RULE.replace("threshold = 0.1", ""), ["'mine'", "no 'threshold'"]),
        (RULE.replace("0.1", "nan"), ["'threshold'", "'mine'", "number"]),
        (RULE.replace("0.1", "true"), ["'threshold'", "'mine'", "number"]),
        (RULE.replace("threshold", "treshold"), ["treshold", "'mine'", "Did you mean 'threshold'"]),
        (RULE.replace('"above"', '"over"'), ["'over'", "must_be", "above, below"]),
        (RULE.replace("= true", '= "yes"'), ["'needed'", "true or false"]),
        (RULE.replace("comprehensiveness", "comprehensivness"), ["quantity", "Did you mean 'comprehensiveness'"]),
        (RULE + 'explainers = ["owm"]', ["'owm'", "explainers", "Did you mean 'own'"]),
        (RULE + 'explainers = "own"', ["'explainers'", "list of names"]),
        (RULE + 'kinds = ["masks"]', ["'masks'", "kinds", "Did you mean 'mask'"]),
        (RULE + 'verdict = "tru"', ["'tru'", "verdict", "Did you mean 'true'"]),
        (RULE + "proof_from = 0", ["'proof_from'", "above 0"]),
        (RULE.replace('"Is it good?"', "3"), ["'question'", "text"]),
    ],
    ids=[
        "empty", "no table", "no TOML", "missing field", "no number", "no number but true", "misspelled field", "side",
        "needed", "quantity", "explainer", "no list", "kind", "verdict", "proof", "question",
    ],
)  # fmt: skip
def test_mistakes_get_one_sentence_that_names_file_rule_and_field(tmp_path, text, words):
    file = write(tmp_path, text)
    with pytest.raises(OptionError) as error:
        read_rules(file, *NAMES, TESTS)
    assert "\n" not in str(error.value)
    for word in [str(file), *words]:
        assert word in str(error.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(OptionError, match="nowhere"):
        read_rules(tmp_path / "nowhere.toml", *NAMES, TESTS)
    (tmp_path / "latin.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(OptionError, match="cannot be read"):
        read_rules(tmp_path / "latin.toml", *NAMES, TESTS)
