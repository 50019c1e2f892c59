"""Coroutines in tests."""

import asyncio
from concurrent.futures import ThreadPoolExecutor


def run_apart(coroutine):
    """The result of a coroutine, run in a thread of its own.

    `asyncio.run` drops the loop that its thread had, and litellm may hold that of the main thread, unclosed.
    """
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()
