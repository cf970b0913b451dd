"""The loop of the momentum update."""

from __future__ import annotations

from genreplay.core.kernels.arrays import Array
from genreplay.core.kernels.compiled.parallel import over_rows


@over_rows
def momentum(
    first: int,
    last: int,
    theta: Array,
    velocity: Array,
    slope: Array,
    rate: float,
    keep: float,
    decay: float,
) -> None:
    """Set velocity to keep velocity + rate slope - decay theta, and add it to theta, in one pass over memory."""
    theta, velocity, slope = theta[first:last], velocity[first:last], slope[first:last]
    for k in range(theta.shape[0]):
        velocity[k] = keep * velocity[k] + rate * slope[k] - decay * theta[k]
        theta[k] += velocity[k]
