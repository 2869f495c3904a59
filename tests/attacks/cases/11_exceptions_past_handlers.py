# 11: raises what a narrow handler lets through: SystemExit, GeneratorExit, a BaseException of its own
# ends as: RE
# shows: raising PassThrough
# shows: "kind": "raised"
class PassThrough(BaseException):
    pass


def weighted(rows, weigh):
    for kind in (SystemExit, GeneratorExit, KeyboardInterrupt):
        try:
            raise kind(0)
        except BaseException as error:
            print("raised", type(error).__name__)
    if len(rows) > 3:
        raise SystemExit(0)
    print("raising PassThrough")
    raise PassThrough("passed")
