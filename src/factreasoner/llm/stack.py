"""Room for the frames of deep calls.

CPython keeps the frames of a thread in chunks of 16 KiB. A chunk is got from the system when a call needs it,
and given back when that call returns: a loop that happens to call across such an edge does both each time.
The import of litellm did so 120,000 times from the depth of a command, which took it a second of CPU.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

WORDS = 1 << 15
"""Of a frame so large that CPython gets a chunk of 512 KiB for it: the other half is for the frames above."""


def with_room(fn: Callable[P, T]) -> Callable[P, T]:
    """`fn`, for what a thread begins with, or does seldom, with room for the frames of all that it calls."""

    def roomy(*args: P.args, **kwargs: P.kwargs) -> T:
        return fn(*args, **kwargs)

    roomy.__code__ = roomy.__code__.replace(co_stacksize=WORDS)
    return functools.update_wrapper(roomy, fn)
