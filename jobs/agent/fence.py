"""Text from outside between our tags in a request: nothing in it can open or close one. Pure."""

from __future__ import annotations

import re

_TAG = re.compile(r"<(?=\s*/?\s*(?:request|instructions|guidance|output)\b)", re.IGNORECASE)


def inert(text: str) -> str:
    """`text` in which no tag of a request stands; what looks like one keeps its name and loses its bracket."""
    return _TAG.sub("\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}", text)


def fenced(tag: str, text: str, **attributes: str) -> str:
    """`text` between `<tag>` and `</tag>`."""
    told = "".join(f' {name}="{inert(value).replace(chr(34), chr(39))}"' for name, value in attributes.items())
    return f"<{tag}{told}>\n{inert(text)}\n</{tag}>"
