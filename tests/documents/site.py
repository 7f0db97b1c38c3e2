"""Builds the site of the documentation and follows the links of its pages: site.py PROJECT FOLDER"""

import shutil
import subprocess
import sys
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlparse

project, folder = Path(sys.argv[1]), Path(sys.argv[2])
missing = [m for m in ("sphinx", "myst_nb", "furo", "numpy") if find_spec(m) is None]
missing += [c for c in ("doxygen", "git") if shutil.which(c) is None]
if missing or not (project / ".git").exists():
    print("skipped: there is no " + (", ".join(missing) or "git repository"))
    sys.exit(77)

shutil.rmtree(folder, ignore_errors=True)
subprocess.run(
    [project / "tools/site/build", folder],
    check=True,
    env={"PATH": "/usr/bin:/bin", "WARPSIM_SITE_PYTHON": sys.executable},
)
html = folder / "html"


class Links(HTMLParser):
    def __init__(self, page: Path) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(page.read_text())

    def handle_starttag(self, tag, attributes):
        self.found += [value for name, value in attributes if name in ("href", "src") and value]


wrong = []
pages = [p for p in html.rglob("*.html") if not p.is_relative_to(html / "cpp")]
for page in pages:
    for link in Links(page).found:
        url = urlparse(link)
        if not url.scheme and url.path and not (page.parent / unquote(url.path)).exists():
            wrong.append(f"{page.relative_to(html)}: {link}")
for page, part in {
    "index.html": "Mandelbrot",
    "runtime/options/reference.html": "--max-instructions",
    "runtime/statistics/keys.html": "micro_ops.warp",
    "python_api.html": "warpsim.Device",
    "cpp/classwarpsim_1_1runtime_1_1Device.html": "begin_launch",
    "tests/kernels/saxpy.cu.html": "__global__",
    "python/notebooks/find_a_race.html": "race",
}.items():
    if part not in (html / page).read_text():
        wrong.append(f"{page} does not have '{part}'")
print("\n".join(wrong) or f"{len(pages)} pages, all links lead somewhere")
sys.exit(bool(wrong))
