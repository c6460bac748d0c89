"""A model: its settings, its training, its folder.

A trained model has four layers, from the outside in; each needs only those further in:

- `TextClassifier.model_` (`estimator.py`): scikit-learn's interface, strings in and labels out; holds a `TrainedModel`.
- `TrainedModel.classifier` (`folder.py`): the classifier with its settings, history and metrics, as in a model folder.
- `FittedClassifier.method` (`inference/fitted.py`): words in, probabilities out; has the tokenizer and the classes.
- `Method.encoder` (`interfaces/method.py`): the network itself, tensors in and out.
"""
