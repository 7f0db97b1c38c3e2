"""Gathers what the site shows: gather.py FOLDER

Each README becomes the index of its folder. What they link to comes along: other pages and pictures as they are, sources as pages
of their own, folders without a README as lists of their files.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

LINK = re.compile(r"(\]\()([^)\s]+)(\))")
LANGUAGES = {
    ".cpp": "cpp",
    ".hpp": "cpp",
    ".cu": "cuda",
    ".c": "c",
    ".py": "python",
    ".json": "json",
    ".yml": "yaml",
    ".sh": "sh",
    ".cmake": "cmake",
    ".txt": "text",
    "": "sh",
}
PICTURES = {".png", ".svg"}
# The chapters of the site; {toctree} of each, in this order.
CHAPTERS = {
    "Use": [
        "examples",
        "configs",
        "python",
        "runtime/plan",
        "runtime/check",
        "runtime/debug",
        "runtime/report",
        "runtime/timeline",
        "runtime/sweep",
        "runtime/coverage",
        "runtime/capture",
        "tools/warpsim",
        "runtime/cuda",
    ],
    "Look up": [
        "CHANGELOG",
        "runtime/options/reference",
        "runtime/statistics/keys",
        "runtime/statistics/metrics",
        "runtime/statistics",
        "python_api",
        "cpp_api",
    ],
    "Inside": ["CONTRIBUTING", "frontend", "sim", "runtime", "benchmarks", "tests", "tools"],
}


def tracked() -> list[str]:
    """Files of the repository, new ones too."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    return [f for f in subprocess.check_output(command, text=True).splitlines() if os.path.isfile(f)]


class Gathering:
    def __init__(self, to: Path) -> None:
        self.to = to
        self.files = set(tracked())
        self.folders = {str(p) for f in self.files for p in Path(f).parents}
        self.pages = sorted(f for f in self.files if f.endswith(".md") and not f.startswith("tools/site/"))
        self.linked: set[str] = set()

    def run(self) -> None:
        shutil.rmtree(self.to, ignore_errors=True)
        for page in self.pages:
            self.write(self.page_of(page), self.with_links(page, Path(page).read_text()))
        done: set[str] = set()
        while todo := self.linked - done:
            for file in sorted(todo):
                self.add(file)
            done |= todo
        self.write("index.md", self.first_page())
        self.write("python_api.rst", PYTHON_PAGE)
        self.write("cpp_api.md", CPP_PAGE)

    def write(self, name: str, text: str) -> None:
        place = self.to / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    @staticmethod
    def page_of(page: str) -> str:
        return re.sub(r"(^|/)README\.md$", r"\1index.md", page)

    def target(self, page: str, url: str) -> str:
        """What a link of a page leads to on the site."""
        path, _, anchor = url.partition("#")
        if url.startswith(("http:", "https:", "mailto:", "#")) or not path:
            return url
        file = os.path.normpath(os.path.join(os.path.dirname(page), path))
        if file not in self.files and file not in self.folders:
            return url
        if file in self.folders and f"{file}/README.md" in self.files:
            file += "/README.md"
        if file.endswith(".md"):
            file = self.page_of(file)
        else:
            self.linked.add(file)
            if file in self.folders:
                file += "/files.md"
            elif Path(file).suffix not in PICTURES | {".ipynb"}:
                file += ".md"
        relative = os.path.relpath(file, os.path.dirname(self.page_of(page)) or ".")
        return relative + ("#" + anchor if anchor else "")

    def with_links(self, page: str, text: str) -> str:
        parts = re.split(r"(^```.*?^```$|`[^`\n]*`)", text, flags=re.MULTILINE | re.DOTALL)
        for i in range(0, len(parts), 2):
            parts[i] = LINK.sub(lambda m: m[1] + self.target(page, m[2]) + m[3], parts[i])
        return "".join(parts)

    def add(self, file: str) -> None:
        if file in self.folders:
            inside = sorted(f for f in self.files if os.path.dirname(f) == file)
            lines = [
                f"- [{os.path.basename(f)}]({self.target(file + '/files.md', os.path.basename(f))})" for f in inside
            ]
            self.write(f"{file}/files.md", f"---\norphan: true\n---\n# {file}/\n\n" + "\n".join(lines) + "\n")
            return
        suffix = Path(file).suffix
        if suffix in PICTURES | {".ipynb"}:
            (self.to / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, self.to / file)
            return
        text = Path(file).read_text()
        fence = "`" * max(3, 1 + max((len(m) for m in re.findall(r"`+", text)), default=0))
        self.write(
            f"{file}.md",
            f"---\norphan: true\n---\n# {file}\n\n{fence}{LANGUAGES.get(suffix, 'text')}\n{text.rstrip()}\n{fence}\n",
        )

    def children(self, page: str) -> list[str]:
        """Pages that belong below the index of a folder: those whose nearest index it is."""
        folder = os.path.dirname(page)
        named = {
            self.page_of(p + ".md" if p + ".md" in self.files else p + "/README.md")
            for c in CHAPTERS.values()
            for p in c
        }
        found = []
        for other in self.pages:
            if other == page or self.page_of(other) in named or other in ("README.md", "CONTRIBUTING.md"):
                continue
            above = Path(self.page_of(other)).parent
            if os.path.basename(other) == "README.md":
                above = above.parent
            while str(above) not in (".", "") and f"{above}/README.md" not in self.files:
                above = above.parent
            if str(above) == folder:
                found.append(os.path.relpath(self.page_of(other), folder)[: -len(".md")])
        below = [
            os.path.relpath(f, folder) for f in self.linked if f.endswith(".ipynb") and Path(f).is_relative_to(folder)
        ]
        return sorted(found) + (sorted(below) if folder == "python" else [])

    def first_page(self) -> str:
        text = self.with_links("README.md", Path("README.md").read_text())
        for chapter, entries in CHAPTERS.items():
            names = [self.entry(e) for e in entries]
            text += toctree(chapter, names)
        return text

    def entry(self, name: str) -> str:
        """A line of a {toctree}; "runtime/debug: a debugger" is called "A debugger" there."""
        readme = f"{name}/README.md"
        if readme not in self.files:
            return name
        title = Path(readme).read_text().splitlines()[0].lstrip("# ")
        said = title.partition(": ")[2]
        return f"{said[0].upper()}{said[1:]} <{name}/index>" if said else f"{name}/index"

    def add_trees(self) -> None:
        for page in self.pages:
            if os.path.basename(page) == "README.md" and os.path.dirname(page) and (below := self.children(page)):
                place = self.to / self.page_of(page)
                place.write_text(place.read_text() + toctree("", below))


def toctree(caption: str, names: list[str]) -> str:
    head = f":caption: {caption}\n" if caption else ""
    return f"\n```{{toctree}}\n:hidden:\n:maxdepth: 1\n{head}\n" + "\n".join(names) + "\n```\n"


PYTHON_PAGE = """\
Python API
==========

.. automodule:: warpsim
   :members:
   :imported-members:
   :undoc-members:
   :show-inheritance:
   :member-order: bysource
"""
CPP_PAGE = """\
# C++ API

What programs that link `warpsim::warpsim` may use has <a href="cpp/index.html">pages of its own</a>, made of the headers that are
installed.
"""


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    gathering = Gathering(Path(sys.argv[1]))
    gathering.run()
    gathering.add_trees()
