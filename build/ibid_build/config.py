"""``ibid.toml`` to one frozen value; refuses unknown names, wrong types, and anything that is an API key."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, get_args
from urllib.parse import urlsplit

from ibid.errors import InputError, SettingError
from ibid.settings import Settings
from ibid_build.choice import EncoderChoice
from ibid_build.encoder import ENCODERS

CONFIG_NAME = "ibid.toml"
GeneratorName = Literal["mkdocs", "docusaurus", "vitepress", "sphinx", "markdown"]
"""The documentation tools whose rules are known; ``markdown`` is a plain folder, as GitHub shows it."""

# Names that hold a secret, whatever comes before them: "api_key", "openai-token", "clientSecret".
_SECRET_NAME = re.compile(
    r"(?:^|[_-])(?:key|keys|apikey|token|secret|password|passwd|passphrase|credentials?|bearer|authorization)$"
)
# Shapes that providers give their keys.
SECRET_VALUE = re.compile(
    r"(?<![A-Za-z0-9])(?:sk|pk|rk)-[A-Za-z0-9_-]{12,}"
    r"|(?<![A-Za-z0-9])(?:gsk_|ghp_|gho_|ghs_|github_pat_|glpat-|xox[abprs]-|xai-|hf_|r8_|nvapi-|pplx-|fw_|AIza)"
    r"[A-Za-z0-9_-]{12,}"
    r"|(?<![A-Za-z0-9])AKIA[A-Z0-9]{16}"
    r"|\bBearer\s+[A-Za-z0-9._-]{12,}"
    r"|\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\."
)
_ACCENT = re.compile(r"#(?:[0-9A-Fa-f]{3}){1,2}(?:\s+#(?:[0-9A-Fa-f]{3}){1,2})?")
_WHY = (
    "what the build reads is published, and every visitor could use it; remove it (readers type their own "
    "key in the page, `ibid ask` reads IBID_API_KEY, or put a proxy that holds the key before the endpoint)"
)


@dataclass(frozen=True, slots=True)
class BuildConfig:
    """What the maintainer set. Empty text means: take it from the documentation tool's own settings.

    ``exclude`` and ``starters`` are tuples; ``exclude`` holds patterns as .gitignore has them, relative to
    the documentation's folder. ``accent`` is a CSS hex colour. ``encoder``: the query encoder, or none; empty
    leaves the choice to the documentation's words. ``include_unlisted`` takes pages marked
    unlisted or noindex into the index; drafts never. ``endpoint_fixed``: readers ask the endpoint of the
    settings or none, and the content policy allows no other.
    """

    settings: Settings = field(default_factory=Settings)
    title: str = ""
    site_url: str = ""
    source: str = ""
    accent: str = ""
    language: str = ""
    starters: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    content_selector: str = ""
    generator: GeneratorName | str = ""
    encoder: EncoderChoice = ""
    include_unlisted: bool = False
    endpoint_fixed: bool = False


def find_config(root: Path) -> Path | None:
    """``ibid.toml`` in the documentation's folder or in its parent."""
    return next((path for folder in (root, root.parent) if (path := folder / CONFIG_NAME).is_file()), None)


def load_config(path: Path | None, environment: Mapping[str, str]) -> BuildConfig:
    """Reads the file (None: only defaults) and ``IBID_<SETTING>`` overrides.

    Raises InputError for a file that cannot be read, an unknown name, a wrong type or a key; SettingError
    for a setting out of its range.
    """
    values = _read(path) if path else {}
    where = str(path) if path else "the environment"
    _refuse_secrets(values, where)
    settings = values.pop("settings", {})
    if not isinstance(settings, dict):
        raise InputError(f"{where}: settings is {settings!r}; write it as a table: [settings]")
    config = _checked(values, where)
    overrides = {
        name: value
        for name, value in environment.items()
        if name.startswith("IBID_") and name != "IBID_API_KEY"
    }
    _refuse_secrets(
        {f.name: overrides.get(f"IBID_{f.name.upper()}", "") for f in fields(Settings)}, "the environment"
    )
    try:
        checked = Settings.from_mapping(settings)
    except SettingError as error:
        raise SettingError(f"{where}: [settings] {error}") from None
    built = BuildConfig(settings=checked.with_environment(overrides), **config)
    if built.endpoint_fixed and not built.settings.base_url:
        raise InputError(
            f"{where}: endpoint_fixed is true, but no endpoint is set; set base_url under [settings] too"
        )
    return built


def _read(path: Path) -> dict[str, Any]:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(
            f"{path} cannot be read: {error.strerror}; check the path given to --config"
        ) from None
    try:
        return tomllib.loads(data.decode("utf-8-sig").replace("\r\n", "\n"))
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text; save it as UTF-8") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f"{path} is not valid TOML: {error or 'nested too deeply'}") from None


def _refuse_secrets(values: Mapping[str, Any], where: str, table: str = "") -> None:
    for name, value in values.items():
        full = f"{table}{name}"
        if isinstance(value, dict):
            _refuse_secrets(value, where, f"{full}.")
            continue
        if _names_secret(name):
            raise InputError(f"{where}: {full} would publish a key: {_WHY}")
        texts = value if isinstance(value, list) else [value]
        if any(isinstance(text, str) and SECRET_VALUE.search(text) for text in texts):
            raise InputError(f"{where}: the value of {full} looks like an API key: {_WHY}")
        if name == "base_url" and isinstance(value, str) and _holds_secret(value):
            raise InputError(f"{where}: the address in {full} would publish a key: {_WHY}")
        for text in texts:
            if isinstance(text, dict):
                _refuse_secrets(text, where, f"{full}.")


def _names_secret(name: str) -> bool:
    return bool(_SECRET_NAME.search(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()))


def _holds_secret(address: str) -> bool:
    """``https://llm.example/v1?api-key=…``"""
    return any(_names_secret(name) for name in re.findall(r"[?&#]([^=&#]+)=.", address))


def _checked(values: dict[str, Any], where: str) -> dict[str, Any]:
    known = sorted(f.name for f in fields(BuildConfig) if f.name != "settings")
    checked: dict[str, Any] = {}
    for name, value in values.items():
        if name not in known:
            hint = "; put it under [settings]" if name in {f.name for f in fields(Settings)} else ""
            raise InputError(f"{where}: {name!r} is no option{hint}; known: {', '.join(known)}, [settings]")
        if name in ("starters", "exclude"):
            if not isinstance(value, list) or not all(
                isinstance(item, str) and item.strip() for item in value
            ):
                raise InputError(f"{where}: {name} is {value!r}; allowed: a list of texts")
            checked[name] = tuple(item.strip() for item in value)
        elif name in ("include_unlisted", "endpoint_fixed"):
            if not isinstance(value, bool):
                raise InputError(f"{where}: {name} is {value!r}; allowed: true or false")
            checked[name] = value
        else:
            checked[name] = _text(name, value, where)
    return checked


def _text(name: str, value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"{where}: {name} is {value!r}; allowed: text in quotes")
    value = value.strip()
    allowed = ""
    if name == "accent" and value and not _ACCENT.fullmatch(value):
        allowed = "a hex colour such as #2f5d62, or two, for light and dark: #2f5d62 #8fc1c4"
    elif name == "language" and value and not re.fullmatch(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*", value):
        allowed = "a language tag such as en or pt-BR"
    elif name == "generator" and value and value not in get_args(GeneratorName):
        allowed = ", ".join(get_args(GeneratorName))
    elif name == "encoder" and value and value not in (*ENCODERS, "none"):
        allowed = ", ".join((*ENCODERS, "none"))
    elif name == "site_url" and value and not _is_site_url(value):
        allowed = "an http(s) address, or a relative one such as ../"
    if allowed:
        raise InputError(f"{where}: {name} is {value!r}; allowed: {allowed}")
    return str(value)


def _is_site_url(value: str) -> bool:
    if re.search(r"[\s\\<>\"'?#\x00-\x1f]", value) or value.startswith("//"):
        return False
    try:
        parts = urlsplit(value)
    except ValueError:
        return False
    if parts.scheme:
        return parts.scheme in ("http", "https") and bool(parts.hostname) and "@" not in parts.netloc
    return True
