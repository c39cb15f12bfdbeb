"""The command line: exit codes, streams, and folders that appear whole or not at all."""

from __future__ import annotations

import io
import itertools
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from doc_tree import write_tree
from ibid import __version__
from ibid.errors import IndexInvalid, InputError
from ibid_build import build, check, search
from ibid_build.cli import main
from ibid_build.progress import Progress
from ibid_build.published import open_published
from ibid_build.staging import staged_folder

DOCS = {
    "index.md": "# Kit\n\nKit stores readings from buoys and sends them on.\n",
    "guide.md": "# Guide\n\n## Sending\n\nRun `kit send` to send the day.\n\n## Keeping\n\nFor a year.\n",
}

SITE = {
    "index/manifest.json": "",
    "index/texts-000-0123456789ab.bin.gz": "",
    "app/0123456789abcdef/js/app.js": "",
    "config.json": "",
}

Capture = pytest.CaptureFixture[str]


class Terminal(io.StringIO):
    """A stream that says that a person looks at it."""

    def isatty(self) -> bool:
        """Always."""
        return True


def files_of(folder: Path) -> dict[str, bytes]:
    """All files with their bytes."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def linked(link: Path, target: Path) -> Path:
    """``link``, made to lead to ``target``."""
    link.symlink_to(target)
    return link


def built(root: Path) -> Path:
    """A small index."""
    out = root / "out"
    docs = write_tree(root / "docs", DOCS)
    assert main(["build", str(docs), "--out", str(out), "--index-only"]) == 0
    return out


class TestBuild:
    """``ibid build``."""

    def test_the_same_documentation_gives_the_same_bytes(self, tmp_path: Path, capsys: Capture) -> None:
        """Building again replaces the folder; nothing else is left beside it; nothing goes to stdout."""
        first = files_of(built(tmp_path))
        assert files_of(built(tmp_path)) == first
        assert sorted(path.name for path in tmp_path.iterdir()) == ["docs", "out"]
        assert "index/manifest.json" in first
        assert capsys.readouterr().out == ""

    def test_a_built_folder_can_be_searched_and_checked(self, tmp_path: Path, capsys: Capture) -> None:
        """``--json`` prints one document on stdout."""
        out = built(tmp_path)
        capsys.readouterr()
        assert main(["search", str(out), "send", "the", "readings", "--json"]) == 0
        document = json.loads(capsys.readouterr().out)
        assert document["query"] == "send the readings"
        assert ("../guide.md", "sending") in [(hit["url"], hit["anchor"]) for hit in document["hits"]]
        assert main(["check", str(out), "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["index"]["pages"] == 2

    @pytest.mark.parametrize(
        ("files", "words"),
        [
            ({"a.rst": "A"}, ["1 .rst file", "Sphinx"]),
            ({**DOCS, "ibid.toml": "title = 3"}, ["ibid.toml", "title is 3"]),
            ({**DOCS, "ibid.toml": "api_key = 'x'"}, ["ibid.toml", "api_key", "every visitor"]),
            ({**DOCS, "ibid.toml": "[settings]\ntop_n_docs = 0"}, ["top_n_docs is 0"]),
        ],
    )
    def test_a_failed_build_leaves_nothing(
        self, tmp_path: Path, capsys: Capture, files: dict[str, str], words: list[str]
    ) -> None:
        """Exit code 2, one sentence on stderr, and the folder of the last build untouched."""
        docs = write_tree(tmp_path / "docs", files)
        old = write_tree(tmp_path / "out", {"index/manifest.json": "old"})
        assert main(["build", str(docs), "--out", str(old), "--index-only"]) == 2
        printed = capsys.readouterr()
        assert printed.out == ""
        assert printed.err.count("\n") == 1
        assert all(word in printed.err for word in words)
        assert files_of(old) == {"index/manifest.json": b"old"}
        assert sorted(path.name for path in tmp_path.iterdir()) == ["docs", "out"]

    @pytest.mark.parametrize(
        ("out", "word"),
        [
            (lambda root: write_tree(root / "mine", {"a.txt": ""}), "did not make"),
            (lambda root: write_tree(root / "old", {**SITE, "CNAME": "x.example"}), "holds CNAME, which"),
            (lambda root: write_tree(root / "old", {**SITE, ".git/HEAD": ""}), "holds .git/HEAD, which"),
            (lambda root: write_tree(root / "old", {**SITE, "index/a.md": ""}), "holds index/a.md, which"),
            (lambda root: write_tree(root, {"file": ""}) / "file", "no folder"),
            (lambda root: linked(root / "link", write_tree(root / "old", SITE)), "is a link"),
            (lambda root: root / "docs", "would replace the documentation"),
            (lambda root: root, "would replace the documentation"),
            (
                lambda root: write_tree(root / "site", {"index/manifest.json": "", "index.html": ""}),
                "whole site",
            ),
        ],
    )
    def test_what_ibid_did_not_make_is_not_replaced(
        self, tmp_path: Path, capsys: Capture, out: Callable[[Path], Path], word: str
    ) -> None:
        """Neither other files, nor the documentation itself, nor a whole site by its index alone."""
        docs = write_tree(tmp_path / "docs", DOCS)
        target = out(tmp_path)
        before = files_of(tmp_path)
        assert main(["build", str(docs), "--out", str(target), "--index-only"]) == 2
        assert word in capsys.readouterr().err
        assert files_of(tmp_path) == before

    def test_a_folder_inside_the_documentation_is_not_read_back(self, tmp_path: Path) -> None:
        """Built HTML in ``--out`` is no page of the next build."""
        docs = write_tree(tmp_path / "docs", DOCS)
        out = docs / "ask"
        page = f"app/{'0' * 16}/page.html"
        for _ in range(2):
            assert main(["build", str(docs), "--out", str(out), "--index-only"]) == 0
            write_tree(out, {page: "<html><body><main><p>Not documentation.</p></main></body></html>"})
        assert [page.path for page in open_published(out).pages] == ["guide.md", "index.md"]

    def test_a_text_that_looks_like_a_key_is_reported_without_its_value(
        self, tmp_path: Path, capsys: Capture
    ) -> None:
        """It is published already; its owner should know."""
        docs = write_tree(tmp_path / "docs", {"a.md": "# A\n\nSet KEY=sk-sample0000SECRET0000 first.\n"})
        assert main(["build", str(docs), "--out", str(tmp_path / "out"), "--index-only"]) == 0
        printed = capsys.readouterr().err
        assert "a.md:3" in printed
        assert "SECRET" not in printed


class TestExit:
    """Codes and streams, whatever happens."""

    @pytest.mark.parametrize(
        ("arguments", "word"),
        [
            ([], "COMMAND"),
            (["fly"], "fly"),
            (["build", "x"], "--out"),
            (["build", "", "--out", "x"], "the path is empty"),
            (["serve", "x", "--port", "70000"], "70000"),
            (["serve", "x", "--port", "-1"], "-1"),
            (["search", "x"], "QUERY"),
            (["search", "x", "--no-verify"], "after --"),
            (["eval", "x", "--queries", "q"], "--qrels"),
        ],
    )
    def test_wrong_usage_is_one_sentence(self, capsys: Capture, arguments: list[str], word: str) -> None:
        """Exit code 2, on stderr, with the way to the help."""
        with pytest.raises(SystemExit) as exit_:
            main(arguments)
        printed = capsys.readouterr()
        assert (exit_.value.code, printed.out, printed.err.count("\n")) == (2, "", 1)
        assert word in printed.err
        assert "--help" in printed.err

    def test_words_with_dashes_can_be_searched(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """After ``--`` all is the query."""
        seen = []
        monkeypatch.setattr(search, "search_command", lambda folder, query, **_: seen.append(query) or 0)
        assert main(["search", "x", "--json", "--", "git", "commit", "--no-verify"]) == 0
        assert seen == ["git commit --no-verify"]

    @pytest.mark.parametrize(
        ("raised", "code", "words"),
        [
            (InputError("x is no folder; name one"), 2, "ibid: x is no folder; name one\n"),
            (IndexInvalid("The index is damaged", "Build it again."), 2, "ibid: The index is damaged; "),
            (OSError(28, "No space left on device", "/x"), 2, "ibid: /x: No space left on device; "),
            (KeyboardInterrupt(), 130, ""),
        ],
    )
    def test_failures_have_no_traceback(
        self, monkeypatch: pytest.MonkeyPatch, capsys: Capture, raised: BaseException, code: int, words: str
    ) -> None:
        """A sentence and a code; an interrupted command says nothing."""

        def fail(*_args: object, **_keywords: object) -> int:
            raise raised

        monkeypatch.setattr(check, "check_command", fail)
        assert main(["check", "x", "--json"]) == code
        printed = capsys.readouterr()
        assert printed.out == ""
        assert printed.err.startswith(words)

    def test_a_reader_that_has_gone_is_no_failure_to_report(self) -> None:
        """``ibid check DIR | head`` ends quietly."""
        code = (
            "import ibid_build.check, ibid_build.cli\n"
            "ibid_build.check.check_command = lambda *a, **k: print('x' * 1_000_000) or 0\n"
            "raise SystemExit(ibid_build.cli.main(['check', 'x']))"
        )
        with subprocess.Popen(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as run:
            assert run.stdout is not None
            assert run.stderr is not None
            run.stdout.close()
            assert run.stderr.read() == b""
        assert run.returncode == 0

    @pytest.mark.parametrize("text", ["é 日本", "half a character: \udcff"])
    def test_output_is_utf_8_everywhere(self, text: str) -> None:
        """Whatever the terminal's own encoding is; JSON stays JSON, errors stay one sentence."""
        code = (
            "import json, ibid_build.check, ibid_build.cli\n"
            "from ibid.errors import InputError\n"
            f"text = {text!a}\n"
            "def command(*args, **keywords):\n"
            "    print(json.dumps(text, ensure_ascii=False))\n"
            "    raise InputError(text)\n"
            "ibid_build.check.check_command = command\n"
            "raise SystemExit(ibid_build.cli.main(['check', 'x']))"
        )
        environment = {"PYTHONIOENCODING": "ascii", "PATH": ""}
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, env=environment, check=False)
        assert json.loads(run.stdout.decode()) == text
        assert (run.returncode, run.stderr.count(b"\n")) == (2, 1)
        assert run.stderr.startswith(b"ibid: " + text[:5].encode(errors="backslashreplace"))

    def test_a_missing_folder_is_named(self, tmp_path: Path, capsys: Capture) -> None:
        """By every command that takes one."""
        missing = str(tmp_path / "none")
        for arguments in (
            ["search", missing, "x"],
            ["check", missing],
            ["build", missing, "--out", missing + "2"],
        ):
            assert main(arguments) == 2
            assert missing in capsys.readouterr().err

    def test_version_and_help_start_fast(self) -> None:
        """The commands' modules are imported when they are called."""
        code = (
            "import sys; from ibid_build.cli import main\n"
            "try: main(['--version'])\n"
            "except SystemExit: print(sorted({m.partition('.')[0] for m in sys.modules} & {'numpy', 'yaml'}),"
            " 'ibid_build.build' in sys.modules)"
        )
        result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert result.stdout == f"ibid {__version__}\n[] False\n"


class TestStaging:
    """Folders that appear whole."""

    def test_an_interrupted_build_keeps_the_old_folder(self, tmp_path: Path) -> None:
        """Also Ctrl-C leaves nothing half-written."""
        out = write_tree(tmp_path / "out", {"index/manifest.json": "old"})

        def interrupted() -> None:
            with staged_folder(out) as folder:
                write_tree(folder, {"index/manifest.json": "half"})
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            interrupted()
        assert files_of(tmp_path) == {"out/index/manifest.json": b"old"}

    def test_what_a_killed_build_left_is_removed(self, tmp_path: Path) -> None:
        """But not the folder of one that is still running."""
        ended = subprocess.Popen([sys.executable, "-c", ""])
        ended.wait()
        for process in (ended.pid, os.getppid()):
            write_tree(tmp_path / f".out.{process}.new", {"half": ""})
        with staged_folder(tmp_path / "out") as folder:
            write_tree(folder, {"index/manifest.json": "new"})
        assert sorted(path.name for path in tmp_path.iterdir()) == [f".out.{os.getppid()}.new", "out"]

    @pytest.mark.parametrize("moved", [1, 2])
    def test_an_interrupted_swap_loses_neither(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moved: int
    ) -> None:
        """Ctrl-C just after one of the two renames: the old folder stands, or the new one; nothing else."""
        out = write_tree(tmp_path / "out", {"index/manifest.json": "old"})
        renames: list[Path] = []
        rename = Path.rename

        def interrupted(source: Path, target: Path) -> Path:
            renames.append(source)
            new = rename(source, target)
            if len(renames) == moved:
                raise KeyboardInterrupt
            return new

        monkeypatch.setattr(Path, "rename", interrupted)
        with pytest.raises(KeyboardInterrupt), staged_folder(out) as folder:
            write_tree(folder, {"index/manifest.json": "new"})
        assert files_of(tmp_path) == {"out/index/manifest.json": b"old" if moved == 1 else b"new"}

    def test_a_failed_build_leaves_no_folder_above_it(self, tmp_path: Path) -> None:
        """Those that it made go again; those that were there stay."""
        (tmp_path / "there").mkdir()
        with pytest.raises(InputError), staged_folder(tmp_path / "there" / "a" / "b" / "out"):
            raise InputError("no")
        assert list(tmp_path.rglob("*")) == [tmp_path / "there"]

    def test_a_finished_build_replaces_it(self, tmp_path: Path) -> None:
        """No file of the old one stays."""
        out = write_tree(
            tmp_path / "out",
            {"index/manifest.json": "old", "index/old-0123456789ab.bin": "", ".DS_Store": ""},
        )
        with staged_folder(out) as folder:
            write_tree(folder, {"index/manifest.json": "new"})
        assert files_of(tmp_path) == {"out/index/manifest.json": b"new"}

    def test_a_folder_that_cannot_be_made_is_named(self, tmp_path: Path) -> None:
        """A file stands where a folder should be."""
        write_tree(tmp_path, {"file": ""})
        with pytest.raises(InputError, match="cannot be written"), staged_folder(tmp_path / "file" / "out"):
            pass


class TestProgress:
    """What a person sees."""

    def test_a_bar_on_a_terminal(self) -> None:
        """It is drawn in place, and what stays is on lines of its own."""
        terminal = Terminal()
        progress = Progress(terminal)
        update = progress.step("Reading")
        update(1, 2)
        progress.say("warning: x")
        update(2, 2)
        half, full = "█" * 12 + "░" * 12, "█" * 24
        shown = f"\r\x1b[KReading {half} 1/2\r\x1b[Kwarning: x\n\r\x1b[KReading {full} 2/2\n"
        assert terminal.getvalue() == shown

    def test_plain_lines_elsewhere(self, capsys: Capture) -> None:
        """A few lines a step, on stderr, without control characters."""
        update = Progress(clock=lambda: 0.0).step("Embedding")
        for done in range(1, 1001):
            update(done, 1000)
        lines = capsys.readouterr().err.splitlines()
        assert lines == [f"Embedding: {n} of 1000" for n in (250, 500, 750, 1000)]

    def test_a_slow_step_never_looks_hung(self, capsys: Capture) -> None:
        """After 15 seconds without a line the next text done is told, long before the first quarter."""
        seconds = itertools.count(0, 5)
        update = Progress(clock=lambda: float(next(seconds))).step("Embedding")
        for done in range(1, 8):
            update(done, 1000)
        lines = [line.split(",")[0] for line in capsys.readouterr().err.splitlines()]
        assert lines == ["Embedding: 3 of 1000", "Embedding: 6 of 1000"]

    def test_the_time_left_is_told_at_the_pace_so_far(self, capsys: Capture) -> None:
        """What an earlier build left to take over says nothing of the pace; the last seconds are not told."""
        seconds = iter([0.0, 0.0, 20.0, 40.0, 397.0])
        update = Progress(clock=lambda: next(seconds)).step("Embedding")
        for done in (600, 620, 640, 998):
            update(done, 1000)
        lines = capsys.readouterr().err.splitlines()
        assert lines == [
            "Embedding: 600 of 1000",
            "Embedding: 620 of 1000, about 6 min left",
            "Embedding: 640 of 1000, about 6 min left",
            "Embedding: 998 of 1000",
        ]


def test_findings_are_shown_up_to_a_number(tmp_path: Path, capsys: Capture) -> None:
    """A tree with a thousand warnings does not bury the result."""
    docs = write_tree(tmp_path / "docs", {f"p{n}.md": f"# P{n}\n\nW\u200bord {n}.\n" for n in range(40)})
    out = tmp_path / "out"
    assert (
        build.build_command(docs, out, config_file=None, index_only=True, environment={}, progress=Progress())
        == 0
    )
    printed = capsys.readouterr().err
    assert printed.count("invisible character") == 20
    assert "and 20 more" in printed
    assert len(check.check(out, {})[0]) >= 40
