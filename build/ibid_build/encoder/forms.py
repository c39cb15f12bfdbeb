"""What a reader may type about a heading or a sentence: keywords, questions, tasks. For training only."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Literal

from ibid_build.encoder.prose import Line

Form = Literal["sentence", "heading", "keywords", "question"]

SHARES: dict[Form, float] = {"sentence": 0.35, "heading": 0.15, "keywords": 0.2, "question": 0.3}
"""How much of the training texts each form gets, as far as there are enough."""

_STOP = frozenset(
    """
    a an and are as at be been but by can do does for from had has have how if in into is it its may more most
    must no not of on one only or other our should so some such than that the their them then there these they
    this those to up was we were what when where which while who will with would you your also any each e.g
    i.e see using used use note below above following example
    """.split()  # noqa: SIM905 - one word a line would hide the rest of the file
)
_WORD = re.compile(r"[A-Za-z][\w.-]*\w|[A-Za-z]")
_GOAL = re.compile(
    r"(?:^To|[Yy]ou can(?: also)?|(?:allow|enable)s? (?:you|users|the user|us) to|lets? you|"
    r"(?:is|are|be) used to|want to|need to|[Hh]ow to|in order to|able to|makes? it (?:possible|easy) to) "
    r"(?!be |have |not |do so)([a-z]+ [^,.;:()]{8,90})"
)
_SUBJECT = re.compile(r"^(?:The |An? )?([A-Za-z][^,.;:()]{2,50}?) (?:is|are) (?:an?|the|used|called) ")
_THIRD_PERSON = re.compile(
    r"^(?:[Tt]his (?:\w+ ){1,2})?([A-Z]?[a-z]{2,}[^s\W]s) ((?:the|an?|all|whether|any) [^,.;:()]{6,90})"
)
_GOAL_FORMS = (
    *(
        "{}",
        "{}",
        "how to {}",
        "How do I {}?",
        "How can I {}?",
        "How do you {}?",
        "what is the best way to {}",
    ),
    *("I want to {}", "Is it possible to {}?", "Can I {}?", "Best way to {}", "Why can't I {}?", "cannot {}"),
    *(
        "What is needed to {}?",
        "Is there a way to {}?",
        "What happens when I {}?",
        "Which command is there to {}?",
    ),
)
_TOPIC_FORMS = (
    *("what is {}", "What is {}?", "how does {} work", "how to use {}", "{} example", "explain {}"),
    *("What does {} do?", "how do I configure {}", "where can I find {}", "problem with {}"),
    *(
        "When should I use {}?",
        "{} not working",
        "error with {}",
        "Why is there {}?",
        "What is the meaning of {}?",
    ),
    *("list of {}", "How is {} different?", "change {}", "{} in a script", "Is {} required?"),
)


def forms(line: Line, rng: random.Random) -> Iterator[tuple[Form, str]]:
    """The training texts that one line gives; random choices come from ``rng`` alone."""
    if line.kind == "heading":
        yield "heading", line.text
        yield "question", rng.choice(_TOPIC_FORMS).format(_lowered(line.text))
    else:
        yield "sentence", line.text
        yield from _tasks(line.text, rng)
    words = [w for w in _WORD.findall(line.text) if w.lower() not in _STOP]
    if len(words) >= 3:
        kept = sorted(rng.sample(range(len(words)), rng.randint(2, min(6, len(words)))))
        yield "keywords", " ".join(words[n] for n in kept)
        if line.kind == "sentence" and line.heading and rng.random() < 0.3:
            yield "keywords", f"{line.heading} {' '.join(words[n] for n in kept[:3])}"


def _tasks(sentence: str, rng: random.Random) -> Iterator[tuple[Form, str]]:
    goal = _GOAL.search(sentence)
    if goal:
        yield "question", _ask(goal.group(1), rng)
    subject = _SUBJECT.match(sentence)
    if subject:
        yield "question", rng.choice(_TOPIC_FORMS).format(_lowered(subject.group(1)))
    verb = _THIRD_PERSON.match(sentence)
    if verb:
        yield "question", _ask(f"{_bare(verb.group(1).lower())} {verb.group(2)}", rng)
    clause = re.split(r"[,;:(]", sentence)[0]
    if clause != sentence and len(clause.split()) >= 4:
        yield "sentence", clause


def _bare(verb: str) -> str:
    """ "specifies" -> "specify", "attaches" -> "attach", "returns" -> "return"."""
    if verb.endswith("ies"):
        return verb[:-3] + "y"
    return verb[:-2] if verb.endswith(("ches", "shes", "xes", "sses", "zzes")) else verb[:-1]


def _ask(goal: str, rng: random.Random) -> str:
    """A question for a goal; the words "you" and "your" become the reader's own."""
    mine = re.sub(r"\byour\b", "my", re.sub(r"\byou\b", "I", goal)).strip()
    text = rng.choice(_GOAL_FORMS).format(mine)
    return text[0].upper() + text[1:] if rng.random() < 0.5 else text


def _lowered(text: str) -> str:
    """The first letter small, unless the word has more capitals ("HTTP", "GridSearchCV")."""
    first = text.split(" ", 1)[0]
    return text[0].lower() + text[1:] if first[1:].islower() else text
