"""A natural logarithm that rounds alike in NumPy, in compiled CPU code and on a GPU, so that distances are equal there.

The method is that of Sun's fdlibm (e_log.c, 1993): x = 2^k m with m between the roots of 1/2 and of 2, and a polynomial
of s = (m - 1) / (m + 1). The error is below one unit in the last place. Every operation is one of IEEE 754 and none is
fused with another; `compiled_log` and `distance_models.cuh` have the same operations in the same order.
"""

from __future__ import annotations

import numpy as np

OFFSET = 0x3FE6A09E667F3BCD
"""The bits of the root of 1/2."""
MANTISSA_BITS = 52
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
L1, L2, L3, L4 = 6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01, 2.222219843214978396e-01
L5, L6, L7 = 1.818357216161805012e-01, 1.531383769920937332e-01, 1.479819860510658591e-01


def log_of_array(values: np.ndarray) -> np.ndarray:
    """Return the natural logarithms of positive normal numbers, float64."""
    bits = np.ascontiguousarray(values, np.float64).view(np.int64)
    shift = (bits - OFFSET) >> MANTISSA_BITS
    f = (bits - (shift << MANTISSA_BITS)).view(np.float64) - 1.0
    k = shift.astype(np.float64)
    s = f / (2.0 + f)
    z = s * s
    w = z * z
    odd = z * (L1 + w * (L3 + w * (L5 + w * L7)))
    even = w * (L2 + w * (L4 + w * L6))
    half = 0.5 * f * f
    return k * LN2_HIGH - ((half - (s * (half + (even + odd)) + k * LN2_LOW)) - f)
