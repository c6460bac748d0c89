from whyword.papers.reproduction.showing import texts_with_words, word_lists


def text(words, label="good", top=("fine", "food"), **more):
    return {"text": words, "label": label, "gold": "bad", "probability": 0.754, "top": [(w, 1.0) for w in top], **more}


def test_a_text_stands_once_with_what_each_row_says_of_it_below():
    answers = {
        ("sst2", "ours"): [{"texts": [text("fine food"), text("poor", top=["poor"])]}, {"texts": []}],
        ("sst2", "theirs"): [{"texts": [text("fine food", label="bad"), text("poor")]}],
        ("qqp", "ours"): [{"texts": [text("one", text_pair="two")]}],
    }
    assert texts_with_words(answers).split("\n\n") == [
        "sst2, gold bad: fine food",
        "- ours: good (75%): fine, food\n- theirs: bad (75%): fine, food",
        "sst2, gold bad: poor",
        "- ours: good (75%): poor\n- theirs: good (75%): fine, food",
        "qqp, gold bad: one / two",
        "- ours: good (75%): fine, food",
    ]


def test_words_are_listed_for_each_row_of_each_data_set():
    top = [{"word": "fine", "score": 2.0}, {"word": "food", "score": 1.0}]
    answers = {("sst2", "ours"): [{"top": top}, {"top": []}], ("trec", "ours"): [{"top": top[:1]}]}
    assert word_lists(answers) == "sst2\n\n- ours: fine, food\n\ntrec\n\n- ours: fine"


def test_a_text_cannot_steer_the_terminal_or_be_read_as_markup():
    (whole, said) = texts_with_words({("a", "b"): [{"texts": [text("\x1b[1m *x* <b>\n# y", top=["_z_"])]}]}).split(
        "\n\n"
    )
    assert whole == "a, gold bad: \N{REPLACEMENT CHARACTER}\\[1m \\*x\\* \\<b> # y"
    assert said.endswith(": \\_z\\_")
