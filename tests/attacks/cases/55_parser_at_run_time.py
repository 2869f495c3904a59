# 55: crashes the parser and the compiler from within: eval of deep and odd source
# ends as: WA
# shows: 5 parsers were fed
import ast

fed = 0
for text in (
    "(" * 100_000,
    "-" * 100_000 + "1",
    "[" * 3000 + "]" * 3000,
    "x" + ".y" * 50_000,
    "\ud800",
    "\0",
):
    for reads in (ast.parse, lambda text: compile(text, "\udcff", "exec")):
        try:
            reads(text)
        except Exception as error:
            print(type(error).__name__)
    fed += 1
print(fed - 1, "parsers were fed")


def weighted(rows, weigh):
    return rows
