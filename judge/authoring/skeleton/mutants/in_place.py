# expects: input-changed
def pages_needed(lens, page_size):
    return lens.add_(page_size - 1) // page_size
