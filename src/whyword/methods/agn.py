"""Label statistics let into the states where a gate is undecided (AGN): Li et al., AAAI 2021 (PAPERS.md)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, pad, relu

from ..blocks.heads import Head
from ..blocks.word_encoder import word_table
from ..interfaces.document import Batch
from ..interfaces.method import Encoder, Method, Objective, Phase, Prediction, lower_layers, task_loss
from ..interfaces.settings import check_above_zero, check_from, check_share_below_one
from ..maths.tensors.gates import kl_to_standard_normal, sample_gaussian
from ..maths.tensors.masked import masked_max, masked_mean, masked_softmax


class Agn(Method):
    """A variational autoencoder of label statistics first, then a classifier that is shown its code."""

    label_share: Tensor

    @dataclass(frozen=True)
    class Config:
        """Settings of AGN; defaults are those of the authors' code where it has any."""

        length: int = 128  # tokens at the beginning of a text whose label statistics are used
        width: int = 128  # hidden width of the autoencoder
        epochs: int = 100  # at most of the autoencoder
        beta: float = 1.0  # weight of the autoencoder's KL
        epsilon: float = 0.05  # how far from 0.5 a valve may be and still let the code in
        adversarial: float = (
            0.0  # length of FGM's step on the word vectors, a second pass; authors: 0.2 to 0.3; 0: none
        )
        dropout: float = 0.3  # on the text vector

        def __post_init__(self) -> None:
            """Refuse settings out of range."""
            check_above_zero(self, "width")
            check_from(self, 1, "length", "epochs")
            check_from(self, 0, "beta", "epsilon", "adversarial")
            check_share_below_one(self, "dropout")

    def __init__(self, encoder: Encoder, classes: int, config: Config) -> None:
        super().__init__()
        self.config = config
        self.encoder = encoder
        dim, slots = encoder.state_dim, config.length * classes
        self.hidden = nn.Linear(slots, config.width)
        self.mean = nn.Linear(config.width, config.length)
        self.log_variance = nn.Linear(config.width, config.length)
        self.decoder = nn.Linear(config.length, slots)
        self.code = nn.Linear(config.length, config.length)
        self.valve = nn.Linear(dim, dim, bias=False)
        nn.init.xavier_uniform_(self.valve.weight)
        self.valve.weight.requires_grad_(False)  # a threshold passes no gradient: it stays as it was drawn
        self.transform = nn.Linear(dim, dim)
        self.pairing = nn.Linear(dim, dim, bias=False)
        self.head = Head(dim, classes, config.dropout)
        unknown = torch.full((word_table(encoder).num_embeddings, classes), 1 / classes)
        self.register_buffer("label_share", unknown)  # count(token, label) / count(token); even if never seen

    @torch.no_grad()
    def prepare(self, batches: Iterable[Batch]) -> None:
        """Count how often each token stands in texts of each class."""
        counts = torch.zeros_like(self.label_share, dtype=torch.long)
        for batch in batches:
            assert batch.labels is not None
            tokens, text = batch.tokens[batch.mask], batch.mask.nonzero()[:, 0]
            if batch.labels.dim() == 2:
                counts.index_add_(0, tokens, batch.labels[text].long())
            else:
                counts.index_put_((tokens, batch.labels[text]), counts.new_ones(()), accumulate=True)
        total = counts.sum(-1, keepdim=True)
        self.label_share.copy_(torch.where(total > 0, counts / total.clamp(min=1), 1 / counts.shape[1]))

    def classify(self, embedded: Tensor, batch: Batch) -> Prediction:
        """Predict from word vectors; the label statistics are those of the tokens, whatever their vectors are."""
        layers = self.encoder.encode(embedded, batch)
        states = layers[-1]
        code = torch.tanh(self.code(self._encode(self._statistics(batch))[0]))  # (batch, length)
        undecided = (self.valve(states).sigmoid() - 0.5).abs() <= self.config.epsilon
        enhanced = relu(self.transform(states)) + undecided * _fit(code.unsqueeze(-1), states.shape[1])
        scores = self.pairing(enhanced) @ enhanced.transpose(1, 2) / enhanced.shape[-1] ** 0.5
        attention_and_states = masked_softmax(scores, batch.mask.unsqueeze(1)) @ enhanced
        pooled = masked_max(attention_and_states, batch.mask)
        return Prediction(self.head(pooled), pooled, states=states, lower=lower_layers(layers))

    def _statistics(self, batch: Batch) -> Tensor:
        """(batch, length, class) shares of the labels, 0 beyond the end of a text."""
        return _fit(self.label_share[batch.tokens] * batch.mask.unsqueeze(-1), self.config.length)

    def _encode(self, statistics: Tensor) -> tuple[Tensor, Tensor]:
        """Give (batch, length) mean and standard deviation of the code."""
        hidden = relu(self.hidden(statistics.flatten(1)))
        return self.mean(hidden), (self.log_variance(hidden) / 2).exp()

    def losses(self, batch: Batch, progress: float) -> dict[str, Tensor]:
        """Cross-entropy; and that of the text one step uphill if asked to (FGM, Miyato et al. 2017)."""
        assert batch.labels is not None
        embedded = self.encoder.embed(batch)
        if not self.config.adversarial:
            return {"task": task_loss(self.classify(embedded, batch).logits, batch)}
        embedded = embedded if embedded.requires_grad else embedded.requires_grad_()
        task = task_loss(self.classify(embedded, batch).logits, batch)
        (uphill,) = torch.autograd.grad(task, embedded, retain_graph=True)
        step = self.config.adversarial * uphill / uphill.norm().clamp(min=torch.finfo(uphill.dtype).tiny)
        harder = task_loss(self.classify(embedded + step, batch).logits, batch)
        return {"task": task, "adversarial": harder}

    def autoencoder_losses(self, batch: Batch, progress: float) -> dict[str, Tensor]:
        """Cross-entropy of the statistics of real tokens, and KL to the standard normal, averaged over dimensions."""
        statistics = self._statistics(batch)
        mean, deviation = self._encode(statistics)
        decoded = self.decoder(sample_gaussian(mean, deviation)).view_as(statistics)
        surprise = binary_cross_entropy_with_logits(decoded, statistics, reduction="none").mean(-1)
        real = _fit(batch.mask.unsqueeze(-1), self.config.length).squeeze(-1)
        rebuilt = (surprise * real).sum() / real.sum().clamp(min=1)
        return {"rebuilt": rebuilt, "bottleneck": self.config.beta * kl_to_standard_normal(mean, deviation).mean()}

    def _rebuilt_logits(self, batch: Batch) -> Tensor:
        """Read the class off the rebuilt statistics: the mean over a text of their log-odds."""
        statistics = self._statistics(batch)
        decoded = self.decoder(self._encode(statistics)[0]).view_as(statistics)
        real = _fit(batch.mask.unsqueeze(-1), self.config.length).squeeze(-1)
        return masked_mean(decoded, real)

    def plan(self, epochs: int) -> Sequence[Phase]:
        """First the autoencoder, judged on dev by the class that its output tells; then, with it fixed, the rest."""
        parts = (self.hidden, self.mean, self.log_variance, self.decoder)
        autoencoder = [weight for part in parts for weight in part.parameters()]
        fixed = set(autoencoder)
        rest = [weight for weight in self.parameters() if weight not in fixed]
        first = Objective(self.autoencoder_losses, autoencoder, learning_rate=1e-3)  # the authors' rate
        return [
            Phase("autoencoder", self.config.epochs, [first], eligible=False, logits=self._rebuilt_logits),
            Phase("classifier", epochs, [Objective(self.losses, rest)]),
        ]


def _fit(values: Tensor, length: int) -> Tensor:
    """Cut or pad with 0 along time: (batch, time, dim) to (batch, length, dim)."""
    return pad(values, (0, 0, 0, length - values.shape[1]))
