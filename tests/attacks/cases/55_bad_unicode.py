# 55: bytes that are no text
# ends as: CE
# source: b"def weighted(rows, weigh):\n    return '\xff\xfe\xed\xa0\x80'\n"
# shows: "kind": "encoding"
