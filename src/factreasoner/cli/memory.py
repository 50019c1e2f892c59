"""A limit of address space, in which scipy would never finish loading."""

from __future__ import annotations

import mmap
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from types import ModuleType

NEEDED = 96 * 2**20
"""Bytes of address space that loading scipy takes."""


class RoomForScipy(MetaPathFinder):
    """Finds no module, but raises MemoryError where scipy is looked for and would not fit.

    The BLAS it brings asks for its buffers while it is loaded, again and again for as long as it gets none,
    and no signal ends that.
    """

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> None:
        """Leave every module to the other finders."""
        if fullname == "scipy":
            try:
                mmap.mmap(-1, NEEDED).close()
            except OSError as error:
                raise MemoryError("there is no room for scipy") from error


def refuse_scipy_without_room() -> None:
    """Have this process fail, and not hang, where an address space is too small for scipy."""
    sys.meta_path.insert(0, RoomForScipy())
