"""What a reader may type about a label or a sentence, in each language of the catalogues."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping

from ibid_build.encoder.forms import Form
from ibid_build.encoder.prose import Line

QUESTIONS: Mapping[str, tuple[str, ...]] = {
    "en": (
        *("What is {}?", "How do I use {}?", "how to {}", "How can I {}?", "{} not working"),
        *("Where do I find {}?", "What does {} mean?", "change {}", "problem with {}", "Why {}?"),
    ),
    "de": (
        *("Was ist {}?", "Wie funktioniert {}?", "Wie kann ich {}?", "Wo finde ich {}?", "{} geht nicht"),
        *("Was bedeutet {}?", "Wie stelle ich {} ein?", "{} ändern", "Problem mit {}", "Warum {}?"),
        *("Wozu dient {}?", "Wie lässt sich {}?", "Welche Möglichkeiten gibt es für {}?"),
    ),
    "fr": (
        *("Qu'est-ce que {} ?", "Comment fonctionne {} ?", "Comment {} ?", "Où trouver {} ?"),
        *("{} ne marche pas", "Que signifie {} ?", "Comment régler {} ?", "changer {}", "problème avec {}"),
        *("Pourquoi {} ?", "À quoi sert {} ?", "Comment puis-je {} ?", "Est-il possible de {} ?"),
    ),
    "es": (
        *("¿Qué es {}?", "¿Cómo funciona {}?", "¿Cómo {}?", "¿Dónde está {}?", "{} no funciona"),
        *("¿Qué significa {}?", "¿Cómo se configura {}?", "cambiar {}", "problema con {}", "¿Por qué {}?"),
        *("¿Para qué sirve {}?", "¿Cómo puedo {}?", "¿Es posible {}?"),
    ),
    "pt": (
        *("O que é {}?", "Como funciona {}?", "Como {}?", "Onde fica {}?", "{} não funciona"),
        *("O que significa {}?", "Como configurar {}?", "mudar {}", "problema com {}", "Por que {}?"),
        *("Para que serve {}?", "Como posso {}?", "É possível {}?"),
    ),
    "ru": (
        *("Что такое {}?", "Как работает {}?", "Как {}?", "Где найти {}?", "{} не работает"),
        *("Что означает {}?", "Как настроить {}?", "изменить {}", "проблема: {}", "Почему {}?"),
        *("Для чего нужен {}?", "Как мне {}?", "Можно ли {}?"),
    ),
    "zh": (
        *("什么是{}？", "{}是什么？", "如何{}？", "怎么{}？", "怎样使用{}？", "在哪里找到{}？", "{}不起作用"),
        *("{}是什么意思？", "如何设置{}？", "更改{}", "{}的问题", "为什么{}？", "{}有什么用？", "可以{}吗？"),
    ),
    "ja": (
        *(
            "{}とは何ですか？",
            "{}とは",
            "{}の使い方",
            "{}方法",
            "{}にはどうすればいいですか？",
            "{}はどこですか？",
        ),
        *(
            "{}が動かない",
            "{}の意味は？",
            "{}の設定方法",
            "{}を変更する",
            "{}の問題",
            "なぜ{}？",
            "{}ことはできますか？",
        ),
    ),
    "ko": (
        *("{}란 무엇인가요?", "{} 사용 방법", "{} 방법", "{} 어떻게 하나요?", "{}은 어디에 있나요?"),
        *(
            "{}이 작동하지 않아요",
            "{}의 의미는?",
            "{} 설정하는 법",
            "{} 변경",
            "{} 문제",
            "왜 {}?",
            "{} 할 수 있나요?",
        ),
    ),
}
"""``{}`` stands for a label, which is a noun or, in most interfaces, a task."""

_WORD = re.compile(r"\w[\w'’-]*")
_UNSPACED = re.compile("[\u3040-\u30ff\u4e00-\u9fff]{2,}")


def phrases(line: Line, language: str, rng: random.Random) -> Iterator[tuple[Form, str]]:
    """The training texts that one line gives; random choices come from ``rng`` alone."""
    if line.kind == "heading":
        yield "heading", line.text
        asked = rng.choice(QUESTIONS[language]).format(_lowered(line.text, language))
        yield "question", asked[0].upper() + asked[1:] if rng.random() < 0.5 else asked
    else:
        yield "sentence", line.text
        clause = re.split(r"[,;:(，；：（、]", line.text)[0].strip()
        if clause != line.text and len(clause) >= 8:
            yield "question", rng.choice(QUESTIONS[language]).format(_lowered(clause, language))
    words = _UNSPACED.findall(line.text) if language in ("zh", "ja") else _WORD.findall(line.text)
    words = [word for word in words if len(word) > (1 if language in ("zh", "ja", "ko") else 3)]
    if len(words) >= 3:
        kept = sorted(rng.sample(range(len(words)), rng.randint(2, min(5, len(words)))))
        yield "keywords", " ".join(_part(words[n], language, rng) for n in kept)


def _part(word: str, language: str, rng: random.Random) -> str:
    """A word; where a language writes no blanks, at most six characters out of what stands together."""
    if language not in ("zh", "ja") or len(word) <= 6:
        return word
    length = rng.randint(2, 6)
    start = rng.randint(0, len(word) - length)
    return word[start : start + length]


def _lowered(text: str, language: str) -> str:
    """The first letter small, unless the word has more capitals, or is German, where nouns keep theirs."""
    first = text.split(" ", 1)[0]
    return text if language == "de" or not first[1:].islower() else text[0].lower() + text[1:]
