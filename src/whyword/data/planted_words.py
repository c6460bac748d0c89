"""The words of the planted corpus: cue words that carry the label, and all the neutral text around them."""

from __future__ import annotations

from dataclasses import dataclass

Cues = tuple[tuple[str, ...], tuple[str, ...]]  # positive, negative: as many of each, so that a draw knows no sign


def _cues(positive: str, negative: str) -> Cues:
    return tuple(positive.split()), tuple(negative.split())


GENERIC = _cues(
    "good great wonderful superb excellent impressive lovely pleasant delightful splendid brilliant charming marvelous "
    "fantastic terrific outstanding memorable exceptional magnificent remarkable perfect admirable amazing fabulous",
    "bad poor awful terrible dreadful horrible disappointing mediocre dull lousy dismal boring annoying appalling "
    "abysmal atrocious unpleasant unimpressive forgettable pathetic shoddy miserable irritating underwhelming",
)
SPECIAL = {  # adjectives that suit one kind of aspect
    "story": _cues("gripping inspiring witty clever touching", "predictable contrived silly confusing shallow"),
    "people": _cues("friendly attentive polite helpful welcoming", "rude careless arrogant unhelpful grumpy"),
    "food": _cues("delicious tasty flavorful fresh appetizing", "bland tasteless stale greasy inedible"),
    "device": _cues("reliable sturdy sleek dependable practical", "unreliable flimsy fragile defective impractical"),
    "place": _cues("cozy spotless elegant comfortable inviting", "dirty cramped shabby dingy uncomfortable"),
    "plain": GENERIC,
}
VERBS = _cues(
    "delighted impressed charmed amazed pleased thrilled enchanted captivated",
    "disappointed annoyed bored irritated frustrated disgusted infuriated dismayed",
)
ADVERBS = _cues(
    "beautifully superbly wonderfully brilliantly skillfully elegantly lovingly masterfully",
    "badly poorly terribly clumsily carelessly awkwardly sloppily dreadfully",
)
_ALL = (GENERIC, *(cues for kind, cues in SPECIAL.items() if kind != "plain"), VERBS, ADVERBS)
POSITIVE: tuple[str, ...] = tuple(word for positive, _ in _ALL for word in positive)
NEGATIVE: tuple[str, ...] = tuple(word for _, negative in _ALL for word in negative)
NEGATORS: tuple[str, ...] = ("never", "hardly", "scarcely", "rarely", "seldom", "not")  # "not" stands before no verb

ADJECTIVE_FRAMES: tuple[str, ...] = (
    "the {aspect} {was} {cue}",
    "the {aspect} {was} {cue}",
    "the {aspect} {was} really {cue}",
    "the {aspect} seemed {cue}",
    "I found the {aspect} {cue}",
    "we thought the {aspect} {was} {cue}",
)
NEGATED_FRAMES: tuple[str, ...] = (
    "the {aspect} {was} {cue}",
    "the {aspect} {was} {cue}",
    "we thought the {aspect} {was} {cue}",
)
VERB_FRAMES: tuple[str, ...] = ("the {aspect} {cue} us", "the {aspect} {cue} me", "the {aspect} {cue} everyone")
ADVERB_FRAMES: tuple[str, ...] = ("the {aspect} {was} {cue} {done}",)
LEADS = ("Overall, ", "In the end, ", "This time, ", "On the whole, ", "As I remember it, ")
QUESTIONS = (
    "Did the reviewer like the {aspect}?",
    "Was the writer happy with the {aspect}?",
    "Would this person praise the {aspect}?",
    "Does the review recommend the {aspect}?",
)
SPURIOUS = ("popcorn", "lemonade", "licorice")  # one for each class
SPURIOUS_FRAMES = (
    "Someone nearby had brought {word}.",
    "There was {word} on a table by the door.",
    "On the way home we bought {word}.",
    "My neighbor kept talking about {word}.",
)


@dataclass(frozen=True)
class Aspect:
    """Something a review can judge; `done` is what can have been done to it well or badly, if anything."""

    noun: str
    kind: str
    was: str = "was"
    done: str = ""


@dataclass(frozen=True)
class Domain:
    """Something people review: its aspects, and neutral sentences to begin and to end with."""

    aspects: tuple[Aspect, ...]
    openings: tuple[str, ...]
    closings: tuple[str, ...]


def _aspects(lines: str) -> tuple[Aspect, ...]:
    return tuple(Aspect(*line.split()) for line in lines.strip().splitlines())


def _choices(line: str) -> tuple[str, ...]:
    return tuple(line.split(", "))


SLOTS = {
    "day": _choices("Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday"),
    "month": _choices(
        "January, February, March, April, May, June, July, August, September, October, November, December"
    ),
    "number": _choices("two, three, four, five, six, seven, eight, nine, ten, twelve"),
    "city": _choices(
        "Lisbon, Oslo, Chicago, Prague, Dublin, Toronto, Vienna, Seattle, Madrid, Helsinki, Boston, Geneva"
    ),
    "who": _choices(
        "my sister, my brother, two friends, a colleague, my cousin, an old classmate, our parents, my aunt, "
        "a friend from work, my roommate, our children, the whole family"
    ),
    "drink": _choices("a glass of water, a pot of tea, an orange juice, a cup of coffee, a bottle of cider"),
    "main": _choices("rice, an omelette, noodles, a bowl of beans, roast chicken, a vegetable curry"),
    "errand": _choices("for a short trip, on business, for a wedding, between two trains, after a conference"),
    "use": _choices("at home, in the office, on the train, in the kitchen, at school, in the garage"),
}

_CLOSINGS = (
    "I do not write reviews very often.",
    "I had never heard of it before {month}.",
    "I told {who} about it on {day}.",
    "That was back in {month}, if I remember correctly.",
    "I wrote this down on {day} for {who}.",
)
FILMS = Domain(
    _aspects("""
        plot story was told
        dialogue story was written
        characters story were drawn
        ending story was staged
        acting plain was
        soundtrack plain was recorded
        scenery plain was filmed
        costumes plain were made
    """),
    (
        "We saw this film in {city} with {who}.",
        "I watched it on {day} with {who}.",
        "The film opened here in {month} and ran for {number} weeks.",
        "There were {number} people in our row on {day}.",
        "This is their third film, shot near {city} in {month}.",
        "{who} picked the film for {day} night.",
    ),
    (*_CLOSINGS, "It runs again on {day} at {number}.", "The credits list {number} towns around {city}."),
)
RESTAURANTS = Domain(
    _aspects("""
        soup food was prepared
        dessert food was prepared
        pasta food was cooked
        fish food was cooked
        bread food was baked
        staff people was
        waiter people was
        music plain was chosen
        decor plain was arranged
    """),
    (
        "We booked a table for {number} on {day}.",
        "I came here with {who} one {day} evening.",
        "We stopped for lunch on the way to {city}.",
        "I ordered {main} and {drink}.",
        "{who} had {main} and I had {drink}.",
        "The place opened in {month} and seats about forty.",
    ),
    (*_CLOSINGS, "We paid by card and left around {number}.", "We shared {main} with {who} as well."),
)
GADGETS = Domain(
    _aspects("""
        screen device was built
        battery device was made
        keyboard device was designed
        buttons device were made
        speaker device was built
        case device was made
        camera device was designed
        manual plain was written
        menus plain were designed
    """),
    (
        "I bought this one in {month} for {who}.",
        "It arrived on {day} in a brown box.",
        "I have used it {use} for {number} weeks.",
        "We replaced the old one {use} in {month}.",
        "{who} first used it {use} on a {day}.",
        "The shop in {city} sent it within {number} days.",
    ),
    (*_CLOSINGS, "Mine is the gray one with {number} ports.", "It came with {number} cables and a bag."),
)
BOOKS = Domain(
    _aspects("""
        plot story was told
        chapters story were written
        dialogue story was written
        characters story were drawn
        ending story was written
        prose story was crafted
        cover plain was designed
        illustrations plain were drawn
        translation plain was made
    """),
    (
        "I read it on the train to {city} in {month}.",
        "Our club picked this novel in {month}.",
        "{who} lent me the book in {month}.",
        "The story spans {number} years in {city}.",
        "I borrowed it from the library on {day}.",
        "It took me {number} evenings in {month} to finish.",
    ),
    (*_CLOSINGS, "The next volume comes out in {month}.", "The copy goes back to {who} on {day}."),
)
HOTELS = Domain(
    _aspects("""
        room place was furnished
        bathroom place was designed
        lobby place was decorated
        pool place was maintained
        garden place was maintained
        breakfast food was prepared
        receptionist people was
        bed plain was made
        towels plain were folded
    """),
    (
        "We spent {number} nights in {city} with {who}.",
        "I stayed here in {month} {errand}.",
        "We came to {city} {errand}.",
        "Our flight landed in {city} late on {day}.",
        "{who} booked the hotel for {number} nights.",
        "The hotel is {number} streets from the station.",
    ),
    (*_CLOSINGS, "We left for {city} on {day} morning.", "The bus to the airport leaves at {number}."),
)
DOMAINS = (FILMS, RESTAURANTS, GADGETS, BOOKS, HOTELS)
