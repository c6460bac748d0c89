"""Whose turn it is, counted in turns, with seconds that the tests make up."""

from whyword.web.turns import TURN, Turns


def play(turns: Turns, steps: int, seconds: dict[str, float]) -> list[str]:
    """Take what is next, so many times; every client asks again at once."""
    taken = []
    for _ in range(steps):
        client, item = turns.take()
        taken.append(item)
        turns.add(client, item)
        turns.charge({client: seconds[client]})
    return taken


def test_clients_take_turns_whatever_the_number_of_their_requests():
    turns = Turns()
    for number in range(50):
        turns.add("many", f"many {number}")
    turns.add("one", "one")
    taken = play(turns, 40, {"many": TURN, "one": TURN})
    assert taken.count("one") == 20
    assert len(set(taken)) == 21, "the requests of one client take turns, too"


def test_time_is_shared_and_not_the_number_of_turns():
    turns = Turns()
    turns.add("slow", "slow")
    turns.add("quick", "quick")
    taken = play(turns, 100, {"slow": 9 * TURN, "quick": TURN})
    assert abs(taken.count("quick") - 90) <= 2


def test_who_comes_again_and_again_has_no_more_than_who_stays():
    turns = Turns()
    turns.add("stays", "stays")
    turns.add("comes", "comes")
    spent = {"stays": 0.0, "comes": 0.0}
    for _ in range(200):
        client, item = turns.take()
        spent[client] += 3 * TURN
        if client == "stays":
            turns.add(client, item)
        turns.charge({client: 3 * TURN})
        if client == "comes":  # it has gone for a moment, and has asked for nothing
            turns.add(client, item)
    assert 0.8 < spent["comes"] / spent["stays"] < 1.25


def test_a_newcomer_waits_for_no_more_than_a_round():
    turns = Turns()
    for number in range(5):
        turns.add(f"heavy {number}", f"heavy {number}")
    play(turns, 30, {f"heavy {number}": 3 * TURN for number in range(5)})
    turns.add("new", "new")
    assert "new" in play(turns, 6, {**{f"heavy {number}": 3 * TURN for number in range(5)}, "new": TURN})


def test_alone_nobody_runs_up_debts():
    turns = Turns()
    turns.add("alone", "alone")
    client, _ = turns.take()
    turns.charge({client: 1000 * TURN})
    turns.add("alone", "alone")
    turns.add("new", "new")
    assert turns.take() == ("alone", "alone")


def test_what_is_not_ready_is_passed_over():
    turns = Turns()
    turns.add("one", "not ready")
    assert turns.take(lambda item: item == "ready") is None
    turns.add("other", "ready")
    assert turns.take(lambda item: item == "ready") == ("other", "ready")
    turns.discard("one", "not ready")
    assert not turns
