"""The experiments: the paper's tables and figures, beyond the paper, anomaly detection; and their runner.

``registry.EXPERIMENTS`` names the experiments. Each is a list of runs (``run.py``). ``runner.py`` carries runs out and
writes a results file; ``results.py`` finds in such a file what belongs to a run.
"""
