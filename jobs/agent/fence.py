"""Text from outside between our tags in a request: nothing in it can open or close one. Pure."""

from __future__ import annotations

import re

_BRACKET = "\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}"
_NAMES = r"(?:request|instructions|guidance|output)(?![\w.:-])"
# In any spelling, but for what is a type's parameter: Vec<Output>.
_TAG = re.compile(rf"<(?=\s*/?\s*{_NAMES})|<(?=\s*/\s*(?i:{_NAMES}))|(?<!\w)<(?=\s*(?i:{_NAMES}))")


def inert(text: str) -> str:
    """`text` in which no tag of a request stands; what looks like one keeps its name and loses its bracket."""
    return _TAG.sub(_BRACKET, text)


def unclosed(tag: str, text: str) -> str:
    """`text`, which is to stay as it is for copying, in which only the end of `tag` is made inert."""
    return re.sub(rf"<(?=\s*/\s*{tag}\b)", _BRACKET, text, flags=re.IGNORECASE)


def fenced(tag: str, text: str, **attributes: str) -> str:
    """`text` between `<tag>` and `</tag>`."""
    told = "".join(f' {name}="{inert(value).replace(chr(34), chr(39))}"' for name, value in attributes.items())
    return f"<{tag}{told}>\n{inert(text)}\n</{tag}>"
