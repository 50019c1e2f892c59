import signal
import time
from pathlib import Path

import pytest
from merlin_stand_in import script

from merlin_bridge import MerlinFailedError, MerlinTimeoutError
from merlin_bridge.process import STDERR_TAIL, execute

HANG = """
child = subprocess.Popen([sys.executable, "-IS", "-c", "import time; time.sleep(600)"])
with open(os.path.join(here, "pids"), "w") as out:
    out.write("%d %d" % (os.getpid(), child.pid))
print("waiting for", child.pid, file=sys.stderr, flush=True)
time.sleep(600)
"""


def gone(folder):
    """Whether the hanging script and its child have ended, within a few seconds."""
    pids = (folder / "pids").read_text().split()
    assert len(pids) == 2
    for _ in range(100):
        if not any(alive(pid) for pid in pids):
            return True
        time.sleep(0.05)
    return False


def alive(pid):
    try:
        # Nobody may be there to wait for an orphan: a zombie has ended all the same.
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def run_script(folder, body, *, timeout=60.0):
    return execute((str(script(folder, body)),), folder=folder, timeout=timeout).stderr


def test_stderr_is_kept_and_stdout_may_be_long(tmp_path):
    body = "sys.stdout.write('x' * 8_000_000)\nprint('a note', file=sys.stderr)"
    assert run_script(tmp_path, body) == "a note\n"


def test_process_runs_in_folder_without_input(tmp_path):
    body = "print(os.getcwd(), repr(sys.stdin.read()), file=sys.stderr)"
    assert run_script(tmp_path, body) == f"{tmp_path.resolve()} ''\n"


def test_failed_exit_reports_command_and_stderr(tmp_path):
    body = "print('é' * 5000 + 'Algorithm x is not supported.', file=sys.stderr)\nsys.exit(3)"
    with pytest.raises(MerlinFailedError, match="exit code 3") as error:
        run_script(tmp_path, body)
    assert (error.value.exit_code, error.value.signal_name) == (3, None)
    assert len(error.value.stderr) == STDERR_TAIL
    assert str(tmp_path / "merlin") in str(error.value)
    assert "Algorithm x is not supported." in str(error.value)


@pytest.mark.parametrize("name", ["SIGSEGV", "SIGABRT", "SIGKILL", "SIGFPE"])
def test_a_crash_names_its_signal(tmp_path, name):
    with pytest.raises(MerlinFailedError, match=f"died of {name}") as error:
        run_script(tmp_path, f"os.kill(os.getpid(), signal.{name})")
    assert (error.value.exit_code, error.value.signal_name) == (None, name)
    assert ("memory" in str(error.value)) == (name == "SIGKILL")


def test_invalid_program_cannot_start(tmp_path):
    path = tmp_path / "merlin"
    path.write_bytes(b"\x00\x01 not a program")
    path.chmod(0o755)
    with pytest.raises(MerlinFailedError, match="can't be started"):
        execute((str(path),), folder=tmp_path, timeout=60.0)


def test_the_time_limit_ends_the_whole_process_group(tmp_path):
    with pytest.raises(MerlinTimeoutError, match="after 6 seconds") as error:
        run_script(tmp_path, HANG, timeout=6.0)
    assert "waiting for" in error.value.stderr
    assert gone(tmp_path)


def test_an_interrupt_ends_the_whole_process_group(tmp_path):
    class Interrupted(BaseException):
        pass

    def interrupt(number, frame):
        if (tmp_path / "pids").exists() and (tmp_path / "pids").stat().st_size:
            signal.setitimer(signal.ITIMER_REAL, 0)
            raise Interrupted

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)
    try:
        with pytest.raises(Interrupted):
            run_script(tmp_path, HANG)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert gone(tmp_path)
