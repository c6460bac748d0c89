"""The contract of how a method learns, whatever its phases and objectives are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from torch import Tensor

from ..interfaces.document import Tokenizer
from ..interfaces.method import Method, Objective
from ..storage.atomic import read_tensors, write_tensors
from ..training.loop import TrainingRun, copy_weights
from ..training.optimizer import ObjectiveOptimizer, Processes, Training
from .contract import expect, expect_close, expect_same_weights, seeded
from .samples import CLASSES, MakeMethod, sample_batch, sample_corpus

STEPS = 3  # of each objective: enough for a weight behind another that starts at zero
EPOCHS = 100  # given to memorize eight texts; most methods need ten
FASTER = 10.0  # times the encoder's learning rate, for eight texts are one batch
ROUNDING = 1e-13  # a gradient in float64 that is this small is zero but for rounding
CPU = torch.device("cpu")


def losses_are_finite(make: MakeMethod, tokenizer: Tokenizer) -> None:
    """Every term of every objective is a finite number, from the beginning of its phase to the end."""
    with seeded():
        method = make(tokenizer, len(CLASSES))
        for phase, _, losses in _walk(method, tokenizer):
            for name, loss in losses.items():
                expect(loss.dim() == 0, f"The loss {name!r} of phase {phase!r} has the shape {tuple(loss.shape)}.")
                expect(bool(loss.isfinite()), f"The loss {name!r} of phase {phase!r} is {float(loss)}.")


def every_parameter_learns(make: MakeMethod, tokenizer: Tokenizer) -> None:
    """By the end of the plan each weight that may move has moved, driven by a loss, not by weight decay or rounding.

    Weights of pretrained encoders may be moved by rounding alone: BERT has biases to which attention is blind.
    """
    with seeded():
        method = make(tokenizer, len(CLASSES)).double()
        before, driven = copy_weights(method), dict.fromkeys(dict(method.named_parameters()), 0.0)
        for _, objective, _ in _walk(method, tokenizer):
            trained = {id(parameter) for parameter in objective.parameters}
            for name, parameter in method.named_parameters():
                if id(parameter) in trained and parameter.grad is not None:
                    driven[name] = max(driven[name], float(parameter.grad.abs().max()))
    rounded = set(method.encoder.parameters()) if method.encoder.token_kind == "pieces" else set()
    for name, parameter in method.named_parameters():
        moved = not torch.equal(parameter.detach(), before[name])
        learned = moved and (driven[name] > ROUNDING or parameter in rounded)
        expect(learned or not parameter.requires_grad, f"{name} may learn, but no loss of the plan has moved it.")
        expect(not moved or parameter.requires_grad, f"{name} is frozen, but the plan has moved it.")


def an_objective_moves_only_what_it_trains(make: MakeMethod, tokenizer: Tokenizer) -> None:
    """Change no weight outside an objective's list in its steps, and leave what is trainable as it was."""
    with seeded():
        method = make(tokenizer, len(CLASSES))
        trainable = {name: parameter.requires_grad for name, parameter in method.named_parameters()}
        before = copy_weights(method)
        for phase, objective, _ in _walk(method, tokenizer):
            trained = {id(parameter) for parameter in objective.parameters}
            for name, parameter in method.named_parameters():
                alone = id(parameter) in trained or torch.equal(parameter.detach(), before[name])
                expect(alone, f"A step of phase {phase!r} moved {name}, which its objective does not train.")
                expect(
                    parameter.requires_grad == trainable[name], f"Phase {phase!r} left requires_grad of {name} changed."
                )
            before = copy_weights(method)


def eight_texts_can_be_memorized(make: MakeMethod, tokenizer: Tokenizer) -> None:
    """Trained on eight texts, the method gets all of them right."""
    best = 0.0
    with seeded():
        method = make(tokenizer, len(CLASSES))
        settings = Training(epochs=EPOCHS, patience=None, learning_rate=FASTER * method.encoder.learning_rate)
        corpus = sample_corpus(tokenizer)
        run = TrainingRun(method, settings, corpus, corpus, 0, CPU)
        selecting = {phase.name for phase in run.plan if phase.eligible}
        for step in run.steps():
            if step.record is not None and step.phase in selecting:
                best = max(best, step.record["dev_accuracy"])
                if best == 1.0:  # the weights of this epoch, or as good ones, would be kept
                    break
    expect(best == 1.0, f"After {EPOCHS} epochs on eight texts only {best:.0%} of them are classified right.")


def same_seed_same_result(make: MakeMethod, tokenizer: Tokenizer) -> None:
    """Training is a function of the seed: the same one gives the same weights bit for bit, another one others.

    What is solved draws nothing at random, and so has the same weights whatever the seed.
    """
    first, second, other = (_train(make, tokenizer, seed).state_dict() for seed in (1, 1, 2))
    expect_same_weights(second, first, "The weights of two trainings with the same seed")
    solved = all(phase.solve is not None for phase in make(tokenizer, len(CLASSES)).plan(1))
    differ = any(not torch.equal(other[name], tensor) for name, tensor in first.items())
    expect(differ or solved, "Training with two different seeds gives the same weights.")


def stopping_and_resuming_changes_nothing(make: MakeMethod, tokenizer: Tokenizer) -> None:
    """Take training up from a snapshot and end as if it had never been stopped."""
    whole = _train(make, tokenizer, 1, epochs=2).state_dict()
    with seeded(1):
        stopped = _run(make(tokenizer, len(CLASSES)), tokenizer, 1, epochs=2)
        steps = list(islice(stopped.steps(), 3))
        tensors, facts = stopped.snapshot()
    with seeded(2):
        resumed = _run(make(tokenizer, len(CLASSES)), tokenizer, 1, epochs=2)
        resumed.restore(tensors, facts)
        for _ in resumed.steps():
            pass
    what = f"The weights of a training resumed after {len(steps)} steps, and of one never stopped"
    expect_same_weights(dict(resumed.method.state_dict()), whole, what)


def save_and_load_agree(make: MakeMethod, tokenizer: Tokenizer) -> None:
    """Fill a new method with saved weights and predict the same bit for bit: nothing that matters lies elsewhere."""
    trained, batch = _train(make, tokenizer, 1), sample_batch(tokenizer)
    with seeded(2), TemporaryDirectory() as folder, torch.no_grad():
        write_tensors(Path(folder) / "weights.safetensors", dict(trained.state_dict()))
        loaded = make(tokenizer, len(CLASSES)).eval()
        loaded.load_state_dict(read_tensors(Path(folder) / "weights.safetensors")[0])
        before, after = trained(batch), loaded(batch)
    expect_close(after.logits, before.logits, "The logits before saving and after loading", 0.0)
    if before.token_weights is not None:
        expect_close(
            after.token_weights, before.token_weights, "The token weights before saving and after loading", 0.0
        )


LEARNING_CONTRACT = (
    losses_are_finite,
    every_parameter_learns,
    an_objective_moves_only_what_it_trains,
    eight_texts_can_be_memorized,
    same_seed_same_result,
    stopping_and_resuming_changes_nothing,
    save_and_load_agree,
)


def _walk(method: Method, tokenizer: Tokenizer) -> Iterator[tuple[str, Objective, dict[str, Tensor]]]:
    """Take a few steps of each objective of each phase, without weight decay, which moves weights by itself."""
    corpus, settings, processes = sample_corpus(tokenizer), Training(), Processes()
    batch = corpus.batches(settings.batch_tokens)[0]
    method.train()
    for phase in method.plan(settings.epochs or method.encoder.epochs):
        objectives = [replace(objective, weight_decay=0.0) for objective in phase.objectives]
        running = [ObjectiveOptimizer(objective, settings, method.encoder.learning_rate) for objective in objectives]
        for step in range(1, STEPS + 1):
            for optimizer in running:
                losses = optimizer.step(method, batch, step / STEPS, 1.0, processes)
                yield phase.name, optimizer.objective, losses


def _train(make: MakeMethod, tokenizer: Tokenizer, seed: int, epochs: int = 1) -> Method:
    with seeded(seed):
        run = _run(make(tokenizer, len(CLASSES)), tokenizer, seed, epochs)
        for _ in run.steps():
            pass
    return run.method


def _run(method: Method, tokenizer: Tokenizer, seed: int, epochs: int) -> TrainingRun:
    corpus = sample_corpus(tokenizer)
    return TrainingRun(method, Training(epochs=epochs, batch_size=4), corpus, corpus, seed, CPU)
