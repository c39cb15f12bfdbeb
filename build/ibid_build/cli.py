"""The commands of SPEC 7. Each is a module of its own, imported when it is called."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from types import FrameType
from typing import NoReturn

from ibid import __version__
from ibid.errors import IbidError

INTERRUPTED = 130  # 128 + SIGINT, as shells count
_DASH_HINT = "words that begin with - go after --"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command. 0 done, 1 what was checked is wrong, 2 usage or input error, 130 interrupted."""
    args = _parser().parse_args(arguments)
    command: Callable[[argparse.Namespace], int] = args.command
    with suppress(ValueError):  # only a main thread takes signals
        signal.signal(signal.SIGTERM, _terminate)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # JSON is UTF-8 everywhere; half a character stays readable
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        code = command(args)
        print(end="", flush=True)  # now, where a failure can still be told
    except BrokenPipeError:  # whoever read the output has gone: nothing went wrong here
        _drop_output()
        return 0
    except IbidError as error:
        advice = getattr(error, "next", "")
        print(
            f"ibid: {error}" + (f"; {advice}" if advice and advice not in str(error) else ""), file=sys.stderr
        )
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print(f"ibid: {where}{error.strerror or error}; check the path and the free space", file=sys.stderr)
        _drop_output()
    except KeyboardInterrupt:
        return INTERRUPTED
    else:
        return code
    return 2


def _drop_output() -> None:
    """What is still buffered must not fail once more at exit."""
    with suppress(AttributeError, OSError, ValueError):  # no stream at all, or one without a file behind it
        output = sys.stdout.fileno()
        os.dup2(os.open(os.devnull, os.O_WRONLY), output)


def _terminate(_signal: int, _frame: FrameType | None) -> NoReturn:
    """Ends as Ctrl-C does, so that what is half-written is removed."""
    raise KeyboardInterrupt


class _Parser(argparse.ArgumentParser):
    """Usage errors are one sentence."""

    def error(self, message: str) -> NoReturn:
        hint = f" ({_DASH_HINT})" if self.prog.endswith(("search", "ask")) else ""
        self.exit(2, f"{self.prog}: {message}{hint}; see: {self.prog} --help\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="ibid", description="Questions to a documentation site, with citations that hold.")
    parser.add_argument("--version", action="version", version=f"ibid {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=_Parser)

    build = commands.add_parser("build", help="make a folder to publish from a documentation tree")
    build.add_argument("src", type=_path, metavar="SRC", help="folder of Markdown or built HTML; or a .jsonl")
    build.add_argument("--out", type=_path, required=True, metavar="DIR", help="folder to make")
    build.add_argument("--config", type=_path, metavar="FILE", help="default: ibid.toml in SRC or above it")
    build.add_argument("--index-only", action="store_true", help="write index/ without the site")
    build.add_argument(
        "--cluster", metavar="ADDRESS", help="embed on the workers of this dask.distributed scheduler"
    )
    build.add_argument(
        "--add-button", action="store_true", help="put the Ask button on SRC's pages; DIR must be within SRC"
    )
    build.set_defaults(command=_build)

    serve = commands.add_parser("serve", help="look at a built folder on this machine")
    serve.add_argument("folder", type=_path, metavar="DIR")
    serve.add_argument("--port", type=_port, default=8000, metavar="N", help="default: 8000")
    serve.set_defaults(command=_serve)

    search = commands.add_parser("search", help=f"search a built folder; {_DASH_HINT}")
    search.add_argument("folder", type=_path, metavar="DIR")
    search.add_argument("query", nargs="+", metavar="QUERY")
    search.set_defaults(command=_search)

    ask = commands.add_parser("ask", help="ask questions, all in one conversation; the key is IBID_API_KEY")
    ask.add_argument("folder", type=_path, metavar="DIR")
    ask.add_argument("questions", nargs="+", metavar="QUESTION")
    ask.add_argument("--base-url", metavar="URL", help="an OpenAI-compatible endpoint")
    ask.add_argument("--model", metavar="NAME")
    ask.set_defaults(command=_ask)

    check = commands.add_parser("check", help="is a built folder sound, and what was measured")
    check.add_argument("folder", type=_path, metavar="DIR")
    check.add_argument(
        "--questions",
        type=_path,
        metavar="FILE",
        help='your own questions, lines {"question", "page"}: a path, or "not covered"; 1 when one is lost',
    )
    check.set_defaults(command=_check)

    evaluate = commands.add_parser("eval", help="how well known questions find their pages")
    evaluate.add_argument("folder", type=_path, metavar="DIR")
    for name, about in (
        ("queries", 'lines {"id", "text"}'),
        ("qrels", 'lines {"query_id", "page", "rel"}'),
        ("unanswerable", 'lines {"id", "text", "kind"}, kind being near or far'),
        ("per-query", "file to write: a line a query"),
        ("baseline", "such a file of an earlier run; differences come with their 95 %% intervals"),
    ):
        required = name in ("queries", "qrels")
        evaluate.add_argument(f"--{name}", type=_path, required=required, metavar="FILE", help=about)
    evaluate.set_defaults(command=_eval)

    for command in (search, ask, check, evaluate):
        command.add_argument("--json", action="store_true", dest="as_json", help="print one JSON document")
    return parser


def _path(text: str) -> Path:
    if not text:
        raise argparse.ArgumentTypeError("the path is empty, perhaps from a variable that is not set")
    return Path(text)


def _port(text: str) -> int:
    port = int(text) if text.isdecimal() else -1
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port; allowed: 0 to 65535 (0: any free one)")
    return port


def _build(args: argparse.Namespace) -> int:
    from ibid_build.build import build_command
    from ibid_build.buttons import add_buttons, check_within
    from ibid_build.progress import Progress

    if args.add_button:
        check_within(args.src, args.out)
    progress = Progress()
    code = build_command(
        args.src,
        args.out,
        config_file=args.config,
        index_only=args.index_only,
        cluster=args.cluster,
        environment=os.environ,
        progress=progress,
    )
    if args.add_button:
        progress.say(f"{add_buttons(args.src, args.out)} pages have the button")
    return code


def _serve(args: argparse.Namespace) -> int:
    from ibid_build.serve import serve_command

    return serve_command(args.folder, port=args.port)


def _search(args: argparse.Namespace) -> int:
    from ibid_build.search import search_command

    return search_command(args.folder, " ".join(args.query), as_json=args.as_json, environment=os.environ)


def _ask(args: argparse.Namespace) -> int:
    from ibid_build.ask import ask_command

    return ask_command(
        args.folder,
        args.questions,
        base_url=args.base_url,
        model=args.model,
        as_json=args.as_json,
        environment=os.environ,
    )


def _check(args: argparse.Namespace) -> int:
    from ibid_build.check import check_command

    return check_command(args.folder, questions=args.questions, as_json=args.as_json, environment=os.environ)


def _eval(args: argparse.Namespace) -> int:
    from ibid_build.evaluate import eval_command

    return eval_command(
        args.folder,
        args.queries,
        args.qrels,
        unanswerable=args.unanswerable,
        per_query=args.per_query,
        baseline=args.baseline,
        as_json=args.as_json,
        environment=os.environ,
    )
