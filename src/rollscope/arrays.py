"""Types of the arrays that numbers are computed in."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
#: Positions of rows in a table.
Rows = NDArray[np.int64]
#: Of words, of texts.
Hashes = NDArray[np.uint64]
