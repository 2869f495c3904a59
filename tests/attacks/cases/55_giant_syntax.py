# 55: makes the parser fall over: brackets nested a hundred thousand deep
# ends as: CE
# source: "x = " + "(" * 60_000 + ")" * 60_000
# shows: "kind": "syntax"
