"""Processes of their own, forked off one that has imported what takes long.

litellm takes seconds of CPU to import; what tests ask of a process (signals, files, how it ends) comes after.
A process that is forked is single-threaded, handles signals as the system does, and ends as interpreters do.
"""

import gc
import importlib
import json
import os
import signal
import socket
import subprocess
import sys

HANDLED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
COMMAND = "from factreasoner.cli import main; main()"


class Forked:
    """A process that runs `code`; `stdout` and `stderr` are files that hold what it printed."""

    def __init__(self, pid, control, stdout, stderr):
        self.pid = pid
        self.returncode = None
        self._control = control
        self._stdout, self._stderr = stdout, stderr

    def send_signal(self, number):
        """Nothing where it has been waited for: the number may be another's by then."""
        if self.returncode is None:
            os.kill(self.pid, number)

    def wait(self, timeout):
        """Its exit code, negative where a signal ended it.

        Raises:
            TimeoutError: it still runs.
        """
        if self.returncode is None:
            self._control.settimeout(timeout)
            self._control.sendall(json.dumps({"wait": self.pid}).encode())
            self.returncode = os.waitstatus_to_exitcode(int(self._control.recv(100)))
        return self.returncode

    def communicate(self, timeout):
        """What it printed until its end."""
        self.wait(timeout)
        return self._stdout.read_text(), self._stderr.read_text()


class Forker:
    """The process that others are forked off, with `modules` imported."""

    def __init__(self, *modules):
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            command = [sys.executable, __file__, str(theirs.fileno()), *modules]
            self._process = subprocess.Popen(command, pass_fds=[theirs.fileno()])
        self._begun = []

    def start(self, arguments=(), *, folder, env=None, code=COMMAND, stderr=None):
        """Run `code`, by default the command line, in `folder`, where its output goes too."""
        paths = [folder / f"process-{len(self._begun)}.{name}" for name in ("stdout", "stderr")]
        asked = {
            "code": code,
            "arguments": list(map(str, arguments)),
            "folder": str(folder),
            "env": dict(os.environ if env is None else env),
        }
        with paths[0].open("wb") as out, paths[1].open("wb") as err:
            files = [out.fileno(), err.fileno() if stderr is None else stderr]
            socket.send_fds(self._control, [json.dumps(asked).encode()], files)
            self._control.settimeout(120)
            process = Forked(int(self._control.recv(100)), self._control, *paths)
        self._begun.append(process)
        return process

    def close(self):
        """End whatever is left."""
        for process in self._begun:
            process.send_signal(signal.SIGKILL)
        self._control.close()
        self._process.wait(timeout=60)


def serve(control, kept):
    """Fork for every request. Returns in each child: the code that it is to run.

    `kept` stays in the environment, as what was imported set it there.
    """
    while True:
        message, files, _, _ = socket.recv_fds(control, 1_000_000, 2)
        if not message:
            os._exit(0)
        asked = json.loads(message)
        if "wait" in asked:
            control.sendall(str(os.waitpid(asked["wait"], 0)[1]).encode())
            continue
        pid = os.fork()
        if pid:
            for file in files:
                os.close(file)
            control.sendall(str(pid).encode())
            continue
        control.close()
        for file, own in zip(files, (1, 2), strict=True):
            os.dup2(file, own)
            os.close(file)
        sys.stdout = os.fdopen(1, "w", closefd=False)
        sys.stderr = os.fdopen(2, "w", buffering=1, closefd=False)
        for number in HANDLED:
            signal.signal(number, signal.SIG_DFL if number != signal.SIGINT else signal.default_int_handler)
        os.environ.clear()
        os.environ.update({**kept, **asked["env"]})
        os.chdir(asked["folder"])
        sys.argv[:] = ["factreasoner", *asked["arguments"]]
        return str(asked["code"])


if __name__ == "__main__":
    for module in sys.argv[2:]:
        importlib.import_module(module)
    provider = sys.modules.get("factreasoner.llm.transport")
    if provider is not None:
        provider.load()
    gc.freeze()  # else each child, as it ends, looks through all that was imported, and copies its pages
    exec(serve(socket.socket(fileno=int(sys.argv[1])), provider.ENVIRONMENT if provider else {}))
