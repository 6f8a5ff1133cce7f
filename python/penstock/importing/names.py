"""Names of nodes, lines and flows that are unique in a scenario."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from penstock.core.errors import InputError, did_you_mean
from penstock.importing.graph import Graph, is_nan

LABELS = ("label", "name")
"""The attributes of a node that may have a name for readers, those first that count most."""
MOST_LISTED = 12
"""Names in one sentence."""


def node_names(graph: Graph) -> dict[str, str]:
    """The name of each node by its id: its label, with the id behind it if another node has the same label."""
    for node, attributes in graph.nodes.items():
        for name in LABELS:
            label = attributes.get(name)
            if label is not None and not _is_label(label) and not is_nan(label):
                remedy = "give the node one label, a text"
                path = f"node {plain(node)}, {name}"
                raise InputError("this is no name", path=path, value=label, file=graph.file, remedy=remedy)
    labels = {node: label_of(attributes) or plain(node) for node, attributes in graph.nodes.items()}
    counts = Counter(labels.values())
    names = {
        node: label if counts[label] == 1 else f"{label} ({plain(node)})" if label != plain(node) else label
        for node, label in labels.items()
    }
    clashing = Counter(names.values())
    for node, name in names.items():
        if clashing[name] > 1 or not name:
            raise InputError(
                "two nodes have this name" if name else "a node has no name",
                path=f"node {node}",
                value=name,
                file=graph.file,
                remedy="give each node a label of its own",
            )
    return names


def changed_names(graph: Graph) -> list[str]:
    """The note of the nodes whose labels, or ids without any, are not as the file has them."""
    names: list[str] = []
    for node, attributes in graph.nodes.items():
        labels = (attributes.get(name) for name in LABELS)
        texts = [str(label) for label in labels if _is_label(label) and plain(str(label))]
        names += [plain(text) for text in (texts[:1] or [node]) if text != plain(text)]
    those = "node: names without their line breaks, further blanks and signs that are not printed"
    return [f"{those}: {some_of(names)}"] if names else []


def label_of(attributes: Mapping[str, object]) -> str:
    """The label of a node; empty without one."""
    return next(iter(labels_of(attributes)), "")


def labels_of(attributes: Mapping[str, object]) -> list[str]:
    """All different labels of a node, the one that names it first."""
    found = (attributes.get(name) for name in LABELS)
    texts = dict.fromkeys(plain(str(label)) for label in found if _is_label(label))
    return [text for text in texts if text]


def _is_label(value: object) -> bool:
    return isinstance(value, (str, int, float)) and not isinstance(value, bool) and not is_nan(value)


def plain(text: str) -> str:
    """A text on one line, without control characters."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


def composed(text: str) -> str:
    """A text in the form of Unicode that has one sign for a letter with an accent."""
    return unicodedata.normalize("NFC", text)


def _word(text: str) -> str:
    """What tells the word for a node apart from others."""
    return composed(plain(text))


def some_of(names: Sequence[str]) -> str:
    """The first of many names, and the number of the others."""
    more = len(names) - MOST_LISTED
    return ", ".join(names[:MOST_LISTED]) + (f" and {more:,} more" if more > 0 else "")


def of_the_whole(names: Iterable[str]) -> list[str]:
    """The note of what a file says of its network as a whole, if it does."""
    said = [plain(str(name)) for name in names]
    return [f"network: said of the whole, and not used: {some_of(said)}"] if said else []


def unique(name: str, taken: set[str]) -> str:
    """A name that is not taken: with a number behind it if it must be. It is taken afterwards."""
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    taken.add(free)
    return free


class Finder:
    """Finds the nodes that a matrix names: all by their names and labels, or all by their ids.

    Words are the same if only their white space differs, or if Unicode has two forms of one letter, as macOS and other
    systems write it.

    Args:
        graph: the network.
        names: the name of each node by its id.
        words: every word by which the matrix names a node.
        file: the file of the matrix.

    Raises:
        InputError: labels and ids both fit all words, and mean other nodes, or a word means several nodes.
    """

    def __init__(self, graph: Graph, names: Mapping[str, str], words: Iterable[str], file: str) -> None:
        meant: dict[str, set[str]] = {}
        for node, attributes in graph.nodes.items():
            for word in (*labels_of(attributes), names[node]):
                meant.setdefault(_word(word), set()).add(names[node])
        ids: dict[str, set[str]] = {}
        for node, name in names.items():
            ids.setdefault(_word(node), set()).add(name)
        used = list(dict.fromkeys(map(_word, words)))
        if several := [word for word in used if len(meant.get(word, ())) > 1 or len(ids.get(word, ())) > 1]:
            both = sorted({*meant.get(several[0], ()), *ids.get(several[0], ())})
            raise InputError(
                f"several nodes have this label, name or id: {some_of(both)}",
                value=several[0],
                file=file,
                remedy="change the labels of the network, or name the nodes by their names here",
            )
        by_label = {word: next(iter(nodes)) for word, nodes in meant.items() if len(nodes) == 1}
        by_id = {word: next(iter(nodes)) for word, nodes in ids.items() if len(nodes) == 1}
        fits = [known for known in (by_label, by_id) if all(word in known for word in used)]
        if len(fits) == 2 and (unlike := [word for word in used if by_label[word] != by_id[word]]):
            word = unlike[0]
            raise InputError(
                f"the labels and the ids of the nodes both fit, and {word} is then {by_label[word]} or {by_id[word]}",
                value=word,
                file=file,
                remedy="name the nodes by labels that are no ids, or change the labels of the network",
            )
        fitting = [sum(word in known for word in used) for known in (by_label, by_id)]
        self.known = fits[0] if fits else by_label if fitting[0] >= fitting[1] else by_id
        self.known_by_label = self.known is by_label
        self.others = by_id if self.known_by_label else by_label

    def find(self, word: str, column: str, file: str, line: int) -> str:
        """The name of the node. Raises :class:`InputError` if there is none."""
        word = _word(word)
        if word in self.known:
            return self.known[word]
        if word in self.others:
            kinds = ("an id", "labels") if self.known_by_label else ("a label", "ids")
            raise InputError(
                f"this is {kinds[0]}, that of {self.others[word]}, and other nodes are named by their {kinds[1]}",
                path=column,
                value=word,
                file=file,
                line=line or None,
                remedy="name all nodes by their labels, or all by their ids",
            )
        some = sorted(set(self.known.values()))
        listed = f"there are {', '.join(some[:12])}{', ...' if len(some) > 12 else ''}"
        raise InputError(
            "the network has no such node",
            path=column,
            value=word,
            file=file,
            line=line or None,
            remedy=did_you_mean(word, self.known) or listed,
        )
