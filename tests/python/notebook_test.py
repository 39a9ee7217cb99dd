# SPDX-License-Identifier: MIT
"""The cells of the notebooks of the package, executed as a kernel does: in order, in
one namespace, the last expression of a cell shown."""
import ast
import glob
import json
import os
import sys
import unittest

BUILD = os.path.abspath(sys.argv.pop(1))
HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = os.path.join(HERE, "..", "..", "clients", "python")
sys.path.insert(0, PACKAGE)
os.environ["TUTTI"] = os.path.join(BUILD, "tutti")
os.environ.setdefault("ASAN_OPTIONS", "handle_segv=0")
NOTEBOOKS = sorted(glob.glob(os.path.join(PACKAGE, "examples", "*.ipynb")))


def execute(source, names, title):
    """Runs a cell; what a notebook would show of it: HTML, or text."""
    tree = ast.parse(source, title)
    last = tree.body.pop() if tree.body and isinstance(
        tree.body[-1], ast.Expr) else None
    exec(compile(tree, title, "exec"), names)
    if last is None:
        return None
    value = eval(compile(ast.Expression(last.value), title, "eval"), names)
    shown = getattr(value, "_repr_html_", None)
    return shown() if shown else repr(value)


class Notebooks(unittest.TestCase):
    def test_all_cells_run_and_are_stored_without_what_they_showed(self):
        self.assertTrue(NOTEBOOKS)
        for path in NOTEBOOKS:
            with open(path, encoding="utf-8") as f:
                book = json.load(f)
            self.assertEqual(book["nbformat"], 4)
            name = os.path.splitext(os.path.basename(path))[0]
            os.chdir(os.path.join(BUILD, "examples", name))
            names, shown = {}, []
            for i, cell in enumerate(book["cells"]):
                if cell["cell_type"] != "code":
                    continue
                with self.subTest(notebook=name, cell=i):
                    self.assertEqual((cell["outputs"], cell["execution_count"]),
                                     ([], None))
                    shown.append(execute("".join(cell["source"]), names,
                                         f"{name}[{i}]"))
            self.assertTrue(any("<svg" in s for s in shown if s), shown)


if __name__ == "__main__":
    unittest.main()
