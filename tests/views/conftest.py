"""Highlights of any text at all: `st.from_type(Highlight)` in the tests of this folder."""

from hypothesis import strategies as st

from whyword.views.highlight import Highlight

ANY_TEXT = st.lists(
    st.one_of(
        st.characters(exclude_categories=()),  # lone surrogates too
        st.sampled_from("[]()/\\:;<>&\"'=# \t\r\n\0\x1b\x85\u202e\u2066\u2069\ufffe\uffffabz好😀مé\u0301"),
        st.sampled_from(["[bold]", "[/]", "[/bold]", "\\[a]", ":smile:", "</p>", "<script>", "]]>", "&lt;", "\r\n"]),
    ),
    max_size=20,
).map("".join)
SCORES = st.floats(-1, 1) | st.sampled_from([0.0, -0.0, float("nan"), float("inf"), float("-inf"), 5e-324, 1e308])


@st.composite
def highlights(draw: st.DrawFn) -> Highlight:
    texts = tuple(draw(st.lists(ANY_TEXT, min_size=1, max_size=2)))
    spans = []
    for text in texts:
        cuts = sorted(draw(st.sets(st.integers(0, len(text)), max_size=8)))
        spans.append(tuple(zip(cuts[::2], cuts[1::2], strict=False)))
    words = sum(map(len, spans))
    classes = tuple(draw(st.lists(ANY_TEXT, min_size=2, max_size=4) | st.just([])))
    number = st.integers(0, max(0, len(classes) - 1))
    position = st.integers(0, max(0, words - 1))
    pairs = st.lists(st.tuples(position, position, st.floats(-1, 1), number), max_size=4 if words and classes else 0)
    return Highlight(
        texts=texts,
        spans=tuple(spans),
        scores=tuple(draw(st.lists(SCORES, min_size=words, max_size=words))),
        signed=draw(st.booleans()),
        label=draw(ANY_TEXT),
        probability=draw(st.floats(0, 1)),
        explainer=draw(ANY_TEXT),
        truncated_words=draw(st.integers(0, 300)),
        windows=draw(st.integers(1, 3)),
        classes=classes,
        target=draw(number),
        speaks_for=tuple(draw(st.lists(number | st.none(), min_size=words, max_size=words))),
        against=draw(number | st.none()) if classes else None,
        base_value=draw(st.none() | st.floats(0, 1)),
        interactions=tuple(draw(pairs)),
        forbidden=tuple(sorted(draw(st.sets(position, max_size=3 if words else 0)))),
    )


st.register_type_strategy(Highlight, highlights())
