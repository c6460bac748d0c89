import torch

from whyword.blocks.polarity_head import PolarityHead


def test_two_classes_share_one_score_whose_sigmoid_is_the_chance_of_the_second():
    head, vectors = PolarityHead(4, 2, 0.0), torch.randn(3, 4)
    score = vectors @ head.linear.weight[0]
    torch.testing.assert_close(head(vectors).softmax(-1)[:, 1], score.sigmoid())


def test_more_classes_have_a_score_each_and_there_is_no_bias():
    head = PolarityHead(4, 3, 0.0)
    assert head(torch.zeros(2, 4)).tolist() == [[0.0] * 3] * 2
    assert [name for name, _ in head.named_parameters()] == ["linear.weight"]


def test_dropout_acts_on_the_text_vector_in_training_only():
    head, vectors = PolarityHead(1000, 2, 0.5), torch.ones(1, 1000)
    assert not torch.equal(head(vectors), head(vectors))
    assert torch.equal(head.eval()(vectors), head(vectors))
