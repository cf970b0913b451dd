"""Classes that come one after the other (not in the paper), and what is still known of the first ones at the end.

Rows come once, in batches of 100, and no learner is told where a class or a task ends. "split" is Split MNIST: classes
in pairs, 0 and 1, then 2 and 3, and so on; "sorted" class by class; "random" all mixed. Beside the two classifiers of
this package stand a network (scikit-learn's ``MLPClassifier``) that rehearses stored rows, all of them or those that
fit into the bytes of the class models' parameters at one bit a pixel; and the same network without rehearsal.
"""

from genreplay.experiments.incremental.run import METHODS, ORDERS, IncrementalRun, forgetting, runs

__all__ = ["METHODS", "ORDERS", "IncrementalRun", "forgetting", "runs"]
