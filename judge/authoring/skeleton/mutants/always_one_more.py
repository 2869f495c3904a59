# expects: one-too-many
def pages_needed(lens, page_size):
    return lens // page_size + 1
