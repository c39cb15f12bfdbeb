"""``ibid build``: read, chunk, embed, pack, assemble; the result appears whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ibid.errors import InputError
from ibid.models import Chunk
from ibid_build.chunk_encoder import ChunkEncoder
from ibid_build.chunking import chunk_page
from ibid_build.config import SECRET_VALUE, BuildConfig, find_config, load_config
from ibid_build.encoder import EncoderName
from ibid_build.findings import Finding
from ibid_build.progress import Progress
from ibid_build.sources import ReadResult, read_tree
from ibid_build.sources.jsonl import read_corpus
from ibid_build.staging import refuse_foreign, staged_folder

_SHOWN_FINDINGS = 20


def build_command(
    src: Path,
    out: Path,
    *,
    config_file: Path | None,
    index_only: bool,
    environment: Mapping[str, str],
    progress: Progress,
    cluster: str | None = None,
) -> int:
    """Builds ``out`` from the documentation in ``src``; 0. Raises InputError, SettingError.

    ``index_only`` writes ``index/`` without the site around it. ``cluster`` is the address of a
    dask.distributed scheduler whose workers embed the passages.
    """
    _check_folders(src, out, index_only=index_only)
    config = load_config(config_file or find_config(src), environment)
    if src.suffix == ".jsonl":
        result = read_corpus(src, config)
    else:
        result = read_tree(src, config, progress.step("Reading"), leave_out=out)
    chunks = [chunk for page in result.pages for chunk in chunk_page(page)]
    findings = [*result.warnings, *_key_findings(chunks)]
    _report(findings, progress)
    if result.private:
        progress.say(f"left out and named nowhere: {', '.join(result.private)}")
    progress.say(f"{len(result.pages)} pages, {len(chunks)} passages")
    with staged_folder(out) as folder:
        _pack(result, chunks, findings, config, folder, progress, cluster)
        if not index_only:
            from ibid_build.assemble import assemble_site

            assemble_site(folder, config, title=result.title, report=progress.say)
    progress.say(f"Built {out}" + ("" if index_only else f"; look at it with: ibid serve {out}"))
    return 0


def _pack(
    result: ReadResult,
    chunks: Sequence[Chunk],
    findings: Sequence[Finding],
    config: BuildConfig,
    folder: Path,
    progress: Progress,
    cluster: str | None,
) -> None:
    # onnxruntime and the encoder's table are loaded only once the documentation was read without an error
    from ibid_build.pack import pack
    from ibid_build.teachers import Teacher
    from ibid_build.vector_cache import in_users_cache

    def encoder(name: EncoderName) -> ChunkEncoder:
        teacher = Teacher(name)
        if cluster is None:
            return in_users_cache(teacher, progress.say)
        from ibid_build.cluster import ClusterEncoder  # an optional extra

        return in_users_cache(teacher, progress.say, lambda: ClusterEncoder(cluster, teacher))

    pack(
        chunks,
        folder,
        title=result.title,
        settings=config.settings,
        encoder=encoder,
        wanted=config.encoder,
        language=config.language,
        findings=findings,
        progress=progress.step("Embedding"),
        say=progress.say,
    )


def _check_folders(src: Path, out: Path, *, index_only: bool) -> None:
    source, target = src.resolve(), out.resolve()
    if source.is_relative_to(target):
        raise InputError(f"--out {out} would replace the documentation itself; name another folder")
    refuse_foreign(out)
    if index_only and (out / "index.html").exists():
        raise InputError(f"{out} holds a whole site, which --index-only would remove; name another folder")


def _key_findings(chunks: Sequence[Chunk]) -> Iterator[Finding]:
    """Documentation may show keys as examples; a real one should not be repeated to everyone."""
    for chunk in chunks:
        if SECRET_VALUE.search(chunk.text):
            what = "a text that looks like an API key is published with this page"
            yield Finding("warning", chunk.path, chunk.line, what, "if it is a real key, revoke it")


def _report(findings: Sequence[Finding], progress: Progress) -> None:
    for finding in findings[:_SHOWN_FINDINGS]:
        progress.say(str(finding))
    if len(findings) > _SHOWN_FINDINGS:
        progress.say(f"and {len(findings) - _SHOWN_FINDINGS} more; all of them: ibid check")
