"""What modules look like in an installed package: the same code, said more tersely.

What may surprise: nothing here is installed. `tools/backend.py` is asked what it would make of the sources.
"""

import ast
import importlib.util
from pathlib import Path

import pytest

TOOLS = Path(__file__).resolve().parent.parent / "tools"
spec = importlib.util.spec_from_file_location("backend", TOOLS / "backend.py")
assert spec is not None
assert spec.loader is not None
backend = importlib.util.module_from_spec(spec)
spec.loader.exec_module(backend)


@pytest.mark.parametrize("path", sorted((TOOLS.parent / "python").rglob("*.py")), ids=lambda path: path.stem)
def test_what_travels_is_the_same_code(path):
    source = path.read_bytes()
    assert ast.dump(ast.parse(backend.terse(source))) == ast.dump(ast.parse(source))


class Plain(ast.NodeTransformer):
    """Without types of variables outside of classes."""

    def visit_ClassDef(self, node):
        for one in node.body:
            if not isinstance(one, ast.AnnAssign):
                self.visit(one)
        return node

    def visit_AnnAssign(self, node):
        return ast.Assign([node.target], node.value, lineno=1) if node.value else node


@pytest.mark.parametrize("module", ["_cli", "_convert", "_scalars", "_types"])
def test_private_modules_lose_their_words_and_types_only(module):
    source = (TOOLS.parent / "python" / "oxwire" / f"{module}.py").read_bytes()
    left = backend.spoken(module, source)
    tree, got = ast.parse(source), ast.parse(left)
    for node in ast.walk(tree):
        if (
            isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef))
            and ast.get_docstring(node)
            and len(node.body) > 1
        ):
            del node.body[0]
    for node in (*ast.walk(tree), *ast.walk(got)):
        if isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.FunctionDef):
            node.returns = None
    assert ast.unparse(Plain().visit(got)) == ast.unparse(Plain().visit(tree))
    assert len(left) < len(source)


def test_types_of_functions_go_and_those_of_fields_stay():
    source = b"class A:\n    x: int = 0\n\n    def f(self, *a: int, b: str='\xc3\xbc: int', **c: A) -> 'A':\n        y: int = 1\n        z: int\n"
    left = b"class A:\n    x: int = 0\n\n    def f(self, *a, b='\xc3\xbc: int', **c):\n        y = 1\n        z: int\n"
    assert backend.untyped(source) == left
    long = b"def f(\n    x: dict[\n        str, int\n    ],\n) -> None:\n    pass\n"
    assert backend.untyped(long) == long.replace(b" -> None", b"")


def test_a_statement_is_a_line_and_text_stays_as_it_is():
    source = b'def f(x, *, z=- 1):  # one\n    y = """a\n\n        b"""\n\n    # two\n    return (\n        f"""{x + 1}\n    c {\n        y}  {{"""\n        "\xc3\xbc # b",\n    )\n'
    got = backend.terse(source)
    assert ast.dump(ast.parse(got)) == ast.dump(ast.parse(source))
    assert (
        got
        == b'def f(x,*,z=-1):\n y="""a\n\n        b"""\n return(f"""{x + 1}\n    c {\n        y}  {{""""\xc3\xbc # b",)\n'
    )


def test_commas_that_say_nothing_go():
    source = b"f(\n    a,\n    [1, 2,],\n    {1: 2, 3: (4,),},\n)\nx = (\n    lambda a, b: a,\n)\ny[1:2, 3,] = (*a,)\nz = ')', ','\n"
    got = backend.terse(source)
    assert ast.dump(ast.parse(got)) == ast.dump(ast.parse(source))
    assert got == b"f(a,[1,2],{1:2,3:(4,)})\nx=lambda a,b:a,\ny[1:2,3]=*a,\nz=')',','\n"


def test_brackets_that_say_nothing_go_and_strings_in_a_row_are_one():
    source = b'''
from a import (b, c)
def f(x, y):
    """(words) and (words)

    (x)
    """
    if (x and (y or x)) or not (x, y):
        return (x, *y)
    elif (x == 1) in (x, y):
        return ("a" "b"), f"{(x, y)}" "c", "(x)", ""
    for one in (x, y):
        x = (yield one), (lambda: x)(), (one for one in y), 1 if (x) else(y)
    try:
        assert (x, "") and ""
    except (A, B):
        x[(1, 2)] = (x := y)
'''
    got = backend.terse(source)
    assert ast.dump(ast.parse(got)) == ast.dump(ast.parse(source))
    assert got.decode().splitlines() == [
        "from a import b,c",
        "def f(x,y):",
        ' """(words) and (words)',
        "",
        "    (x)",
        '    """',
        " if x and(y or x)or not(x,y):return x,*y",
        ' elif(x==1)in(x,y):return"ab",f"{(x,y)}c","(x)",""',
        " for one in x,y:x=(yield one),(lambda:x)(),(one for one in y),1 if x else y",
        ' try:assert(x,"")and""',
        " except(A,B):x[1,2]=(x:=y)",
    ]


def test_a_body_of_one_simple_statement_stands_behind_its_colon():
    source = b"class A:\n    x = 1\n\nif A:\n    for y in A:\n        pass\nelif x:\n    a = 1; b = 2\nelse:\n    del A\n"
    got = backend.terse(source)
    assert ast.dump(ast.parse(got)) == ast.dump(ast.parse(source))
    assert got == b"class A:x=1\nif A:\n for y in A:pass\nelif x:\n a=1;b=2\nelse:del A\n"


def test_text_that_looks_like_a_comment_stays():
    source = b'"""Gone."""\n\n# Gone.\ndef f():\n    """Gone.\n\n    Too."""\n    x = "# kept"  # gone\n    return x\n'
    assert backend.terse(backend.bare(source)) == b'def f():\n x="# kept"\n return x\n'
    only = b'class A:\n    """Kept, as there is nothing else."""\n'
    assert backend.bare(only) == only
