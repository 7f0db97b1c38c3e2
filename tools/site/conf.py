"""How Sphinx makes pages of what gather.py has gathered."""

import re
from pathlib import Path

project = "warpsim"
version = re.search(r"project\(warpsim VERSION ([0-9.]+)", (Path(__file__).parents[2] / "CMakeLists.txt").read_text())[
    1
]
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
html_title = f"warpsim {version}"

# As GitHub reads Markdown.
myst_enable_extensions = ["deflist", "html_image", "strikethrough", "tasklist"]
myst_heading_anchors = 4
nb_execution_mode = "off"
highlight_language = "none"

# The module that is compiled is not needed to describe the package.
autodoc_mock_imports = ["warpsim._core", "pandas", "pytest", "IPython"]
autodoc_typehints = "description"
autodoc_default_options = {"exclude-members": "__weakref__"}
exclude_patterns = []
suppress_warnings = ["myst.header", "misc.highlighting_failure", "mystnb.unknown_mime_type", "ref.python"]
