# expects: rounded-down
def pages_needed(lens, page_size):
    return lens // page_size
