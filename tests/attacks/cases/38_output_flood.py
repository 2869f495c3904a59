# 38: prints without end
# ends as: OLE
# shows: the flood begins
def weighted(rows, weigh):
    print("the flood begins")
    while True:
        print("x" * 65536)
