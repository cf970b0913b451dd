"""Running means and variances, and values that stand still. See ``kernels/running.py`` for what they mean."""

from __future__ import annotations

import numba

from genreplay.core.kernels import running as source

# no fused products: the same bits as without Numba
deviate = numba.njit(cache=True, nogil=True, error_model="numpy")(source.deviate)
stand_still = numba.njit(cache=True, nogil=True, error_model="numpy")(source.stand_still)
