"""Texts in two splits are cut."""

from whyword.data.leaks import cut_leaks
from whyword.data.splits import Dataset, Documents, hold_out_together
from whyword.data.words import split
from whyword.interfaces.document import Document


def documents(*rows: tuple[str, str]) -> Documents:
    return tuple(Document(split(text), label) for text, label in rows)


def texts(rows: Documents) -> list[str]:
    return [item.words.texts[0] for item in rows]


def test_train_gives_way_to_dev_and_test_and_dev_to_test() -> None:
    train = documents(("a", "x"), ("b", "y"), ("c", "x"), ("d", "y"))
    dev, test = documents(("B ", "y"), ("e", "x"), ("f", "y")), documents(("f", "y"), ("C", "x"))
    cut = cut_leaks(Dataset("set", train, dev, test))
    assert (texts(cut.train), texts(cut.dev), texts(cut.test)) == (["a", "d"], ["B ", "e"], ["f", "C"])
    assert cut.notes == (
        "Cut from train, as they are in dev or test too: 2 texts; --keep-leaks keeps them.",
        "Cut from dev, as they are in test too: 1 text; --keep-leaks keeps them.",
    )


def test_the_last_rows_of_a_class_stay_with_a_warning() -> None:
    cut = cut_leaks(Dataset("set", documents(("a", "x"), ("b", "y"), ("c", "x")), documents(("b", "y")), ()))
    assert texts(cut.train) == ["a", "b", "c"]
    assert cut.notes == ("Warning: still in train and in dev or test: 1 text, as a class has no others.",)


def test_nothing_is_said_where_nothing_leaks() -> None:
    dataset = Dataset("set", documents(("a", "x")), documents(("b", "x")), ())
    assert cut_leaks(dataset) == dataset


def test_copies_are_held_out_together_whatever_their_labels() -> None:
    rows = documents(*((f"text {number // 3}", "x" if number % 2 else "y") for number in range(90)))
    rest, held = hold_out_together(rows, 9)
    assert len(rest) + len(held) == 90
    assert len(held) == 9
    assert not set(texts(rest)) & set(texts(held))
