# 55: a chain of a hundred thousand operators, attributes and strings, parsed where it may crash
# ends as: CE
# source: "x = " + "-" * 120_000 + "1\n"
# shows: "kind": "syntax"
