"""Training the literal way: one optimizer, one loop over epochs and batches, a copy of the best weights."""

import copy

import torch
from torch.nn.functional import cross_entropy

from whyword.data.batching import Corpus, training_batches
from whyword.interfaces.method import Method
from whyword.training.optimizer import Training


def train_plainly(method: Method, settings: Training, train: Corpus, dev: Corpus, seed: int) -> list[tuple]:
    """Train all weights with Adam; give (mean loss, dev accuracy, dev loss) per epoch and leave the best weights."""
    adam = torch.optim.Adam(method.parameters(), lr=settings.learning_rate)
    history, best, best_weights = [], (-1.0, 0.0), None
    for epoch in range(settings.epochs):
        losses = []
        method.train()
        for chosen in training_batches(train.lengths, settings.batch_size, settings.batch_tokens, [seed, 0, epoch]):
            batch = train.batch(chosen)
            loss = cross_entropy(method(batch).logits, batch.labels)
            adam.zero_grad()
            loss.backward()
            if settings.clip is not None:
                torch.nn.utils.clip_grad_norm_(method.parameters(), settings.clip)
            adam.step()
            losses.append(loss.item())
        method.eval()
        with torch.no_grad():
            alone = [dev.batch([i]) for i in range(len(dev))]
            logits = torch.cat([method(batch).logits for batch in alone])
        labels = torch.from_numpy(dev.labels)
        accuracy = (logits.argmax(-1) == labels).double().mean().item()
        dev_loss = cross_entropy(logits, labels).item()
        history.append((sum(losses) / len(losses), accuracy, dev_loss))
        if (accuracy, -dev_loss) > best:
            best, best_weights = (accuracy, -dev_loss), copy.deepcopy(method.state_dict())
    method.load_state_dict(best_weights)
    return history
