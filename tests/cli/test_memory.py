"""Where the address space is limited, the command ends instead of trying for ever."""

import subprocess
import sys

import pytest

LOADED = """
import os, re, resource
from pathlib import Path
import numpy
from factreasoner.cli.memory import refuse_scipy_without_room

refuse_scipy_without_room()
used = 1024 * int(re.search(r"VmSize:\\s*(\\d+)", Path("/proc/self/status").read_text())[1])
resource.setrlimit(resource.RLIMIT_AS, (used + {room} * 2**20,) * 2)
try:
    from scipy.special import stdtrit
except MemoryError as error:
    print(error)
else:
    print(stdtrit(1, 0.5))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="/proc and a limit that holds are Linux's")
@pytest.mark.parametrize(("room", "said"), [(55, "there is no room for scipy"), (400, "0.0")])
def test_scipy_is_refused_where_loading_it_would_never_end(room, said):
    code = LOADED.format(room=room)
    environment = {"OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.stdout.strip(), done.returncode) == (said, 0), done.stderr
