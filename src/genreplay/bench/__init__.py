"""Speed as ratios: everything is measured side by side, interleaved, in one process, and compared with its targets.

The unit is the *dense floor*: just the five float32 products of CD-1, or the two of an AIS step, on the same shapes.
"""
