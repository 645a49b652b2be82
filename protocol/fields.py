"""What is wrong with a field, in plain words: where it stands, and what would be right there.

It explains what msgspec refused, and decodes nothing itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

import msgspec
from msgspec import inspect

from protocol.suggest import shown

_PLACE: Final = re.compile(r" - at `(?:key in )?\$([^`]*)`$")
_STEPS: Final = re.compile(r"\.([^.\[]+)|\[[^\]]*\]")
_NAMED: Final = re.compile(r"`([^`]*)`")
_GOT: Final = re.compile(r", got `([a-z]+)`")

_NAMED_AT_MOST: Final = 3

_KINDS: Final = {
    "str": "a string",
    "int": "a whole number",
    "float": "a number with a fraction",
    "bool": "true or false",
    "null": "null",
    "array": "a list",
    "object": "an object",
}


def fault(error: msgspec.ValidationError, type: Any, sent: Mapping[str, Any]) -> tuple[str, str]:
    """Return the path of the field that msgspec refused (`$.game`), and the message that says what would be right.

    `sent` is the whole object: where a field is missing, one beside it that nobody knows may have been meant.
    """
    text = str(error)
    place = _PLACE.search(text)
    path = place[1] if place else ""
    said = text[: place.start()] if place else text
    if said.startswith("Object missing"):
        path += f".{_name_in(said)}"
        right = _right(type, path)
        said = f"{_shown(path)} is missing" + (f"; it is {right}" if right else "")
        return f"${path}", said + ("" if path.count(".") > 1 else _unknown(type, sent))
    if said.startswith("Object contains unknown"):
        path += f".{_name_in(said)}"
        return f"${path}", f"{_shown(path)} is unknown; {_known(type, path)}"
    if said.startswith(("Expected", "Invalid")):
        got = _GOT.search(said)
        wrong = f", not {_KINDS[got[1]]}" if got and got[1] in _KINDS else ""
        return f"${path}", f"{_shown(path)} must be {_right(type, path) or 'of another type or value'}{wrong}"
    return f"${path}", said


def _unknown(type: Any, sent: Mapping[str, Any]) -> str:
    """Return what there is to say of the fields of an object that its type does not have."""
    owner = _bare(_info(type))
    if not isinstance(owner, inspect.StructType):
        return ""
    known = {field.encode_name for field in owner.fields} | {owner.tag_field}
    unknown = [name for name in sent if name not in known]
    if not unknown:
        return ""
    names = ", ".join(f"`{shown(name)}`" for name in unknown[:_NAMED_AT_MOST])
    return f"; {names} {'is' if len(unknown) == 1 else 'are'} unknown here"


def _name_in(said: str) -> str:
    found = _NAMED.search(said)
    return found[1] if found else ""


def _shown(path: str) -> str:
    return f"`{path.removeprefix('.')[:80]}`" if path else "the object"


def _right(type: Any, path: str) -> str:
    kind = _kind_at(type, path)
    return "" if kind is None else _words(kind)


def _known(type: Any, path: str) -> str:
    owner = _bare(_kind_at(type, path.rpartition(".")[0]))
    names = [field.encode_name for field in owner.fields] if isinstance(owner, inspect.StructType) else []
    return f"known are {', '.join(names)}" if names else "nothing is known there"


_info: Final = lru_cache(maxsize=256)(inspect.type_info)


def _kind_at(type: Any, path: str) -> inspect.Type | None:
    kind: inspect.Type | None = _info(type)
    for step in _STEPS.finditer(path):
        kind = _inside(kind, step[1])
    return kind


def _inside(kind: inspect.Type | None, name: str | None) -> inspect.Type | None:
    """Return the type of a struct's field, or of a list's or a dict's items where no name is given."""
    match _bare(kind):
        case inspect.StructType(fields=fields):
            return next((field.type for field in fields if field.encode_name == name), None)
        case inspect.DictType(value_type=item):
            return item
        case inspect.ListType(item_type=item) | inspect.VarTupleType(item_type=item):
            return item
        case _:
            return None


def _bare(kind: inspect.Type | None) -> inspect.Type | None:
    """Return a type without its description and, of a choice, the one that has something inside."""
    while isinstance(kind, inspect.Metadata):
        kind = kind.type
    if isinstance(kind, inspect.UnionType):
        nested = (inspect.StructType, inspect.DictType, inspect.ListType, inspect.VarTupleType)
        return next((bare for bare in map(_bare, kind.types) if isinstance(bare, nested)), None)
    return kind


def _words(kind: inspect.Type) -> str:
    match kind:
        case inspect.Metadata(type=inspect.StrType(pattern=str()), extra_json_schema={"title": str(title)}):
            return title
        case inspect.Metadata(type=bare):
            return _words(bare)
        case inspect.UnionType(types=types):
            return " or ".join(_words(each) for each in types)
        case inspect.IntType():
            return "a whole number" + _range(kind)
        case inspect.FloatType():
            return "a number" + _range(kind)
        case inspect.StrType():
            return "a string" + _lengths(kind)
        case inspect.LiteralType(values=values):
            return _one_of(values)
        case inspect.EnumType(cls=cls):
            return _one_of(member.value for member in cls)
        case inspect.BoolType():
            return "true or false"
        case inspect.NoneType():
            return "null"
        case inspect.ListType() | inspect.VarTupleType():
            exact = kind.min_length is not None and kind.min_length == kind.max_length
            return f"a list of {kind.min_length}" if exact else "a list" + _lengths(kind)
        case inspect.TupleType(item_types=items):
            return f"a list of {len(items)}"
        case _:
            return "an object"


def _one_of(values: Any) -> str:
    right = [msgspec.json.encode(value).decode() for value in values]
    return right[0] if len(right) == 1 else f"one of {', '.join(right)}"


def _range(kind: inspect.IntType | inspect.FloatType) -> str:
    if kind.ge is not None and kind.le is not None:
        return f" from {_plain(kind.ge)} to {_plain(kind.le)}"
    return _bounds(" of", least=kind.ge, over=kind.gt, most=kind.le, under=kind.lt)


def _lengths(kind: Any) -> str:
    size = _bounds(" with a length of", least=kind.min_length, most=kind.max_length)
    pattern = getattr(kind, "pattern", None)
    return f"{size} like {pattern}" if pattern else size


def _bounds(
    lead: str, *, least: float | None, most: float | None, over: float | None = None, under: float | None = None
) -> str:
    named = (("at least", least), ("over", over), ("at most", most), ("under", under))
    said = " and ".join(f"{word} {_plain(bound)}" for word, bound in named if bound is not None)
    return f"{lead} {said}" if said else ""


def _plain(bound: float) -> str:
    return str(int(bound) if bound == int(bound) else bound)
