# 50: uploads an archive whose names climb out of the folder, links and a bomb among them
# site
# shows: archive as a form: 415
# shows: archive as a file: 415
# shows: archive as text: judged CE
import io
import stat
import zipfile


def archive():
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as made:
        for name in ("../../../tmp/left-by-an-attack", "/tmp/left-by-an-attack", "solution.py"):
            made.writestr(name, "x = 1\n")
        link = zipfile.ZipInfo("link")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        made.writestr(link, "/etc/passwd")
        made.writestr("bomb", bytes(8 << 20))
    return stream.getvalue()


def attack(site):
    """Every way in takes text in JSON and nothing else."""
    anna, packed = site.enter("anna"), archive()
    form = {
        "problem": "990",
        "mode": "submit",
        "source": (io.BytesIO(packed), "../../tmp/left-by-an-attack.zip"),
    }
    site.tell("archive as a form", anna.post("/api/submissions", data=form).status_code, (415,))
    kind = "application/zip"
    site.tell(
        "archive as a file", anna.post("/api/submissions", data=packed, content_type=kind).status_code, (415,)
    )
    view = site.judged(anna, packed.decode("latin-1"))
    site.tell("archive as text", f"judged {view['verdict']}", ("judged CE",))
