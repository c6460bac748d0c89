"""Hook of MkDocs: bring files of the repository that pages link to into the site, so that it can be read offline.

A link of a page to a file outside docs leads to a copy below repository/, one to a Markdown file to a page made from
it. A link to a folder, which a site cannot show, becomes plain text.
"""

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
ALWAYS = ["PAPERS.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"]  # pages of their own in the navigation
HOME = "repository"
# Code is matched first, so that what it holds is left alone: `a[1](2)` is no link.
LINK = re.compile(
    r"(?P<code>^ *```.*?^ *```|`[^`\n]+`)|(?P<link>!?\[(?:`[^`]*`|[^\]`])*\]\()(?P<to>[^)\s]+)\)", re.S | re.M
)


def source_of(page: str) -> str:
    """Give the path in the repository of a page of the site."""
    return page.removeprefix(HOME + "/") if page.startswith(HOME + "/") else "docs/" + page


def place_of(source: str) -> str:
    """Give the place in the site of a file of the repository."""
    return source.removeprefix("docs/") if source.startswith("docs/") else f"{HOME}/{source}"


def target_of(source: str, link: str) -> tuple[str, str]:
    """Give the file of the repository that a link leads to, and the anchor behind it."""
    path, _, anchor = link.partition("#")
    return posixpath.normpath(posixpath.join(posixpath.dirname(source), path)), anchor


def is_ours(source: str, link: str) -> bool:
    """Whether a link leads to something that stands in the repository."""
    if re.match(r"[a-z]+:|#", link):
        return False
    target = target_of(source, link)[0]
    return not target.startswith("..") and (ROOT / target).exists()


def links(source: str) -> list[str]:
    """Give the files of the repository, outside docs, that a Markdown file links to."""
    found = (match["to"] for match in LINK.finditer((ROOT / source).read_text(encoding="utf-8")) if match["to"])
    targets = [target_of(source, link)[0] for link in found if is_ours(source, link)]
    return [target for target in targets if not target.startswith("docs/") and (ROOT / target).is_file()]


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the files that pages link to, and those that these link to in turn."""
    waiting = ALWAYS + [link for file in files.documentation_pages() for link in links("docs/" + file.src_uri)]
    done: set[str] = set()
    while waiting:
        source = waiting.pop()
        if source in done:
            continue
        done.add(source)
        files.append(File.generated(config, place_of(source), abs_src_path=str(ROOT / source)))
        if source.endswith(".md"):
            waiting += links(source)
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Lead links of the repository to their places in the site."""
    if page.file.generated_by and not page.file.src_uri.startswith(HOME + "/"):
        return markdown
    source = source_of(page.file.src_uri)

    def lead(match: re.Match[str]) -> str:
        if match["code"] or not is_ours(source, match["to"]):
            return match[0]
        target, anchor = target_of(source, match["to"])
        if not (ROOT / target).is_file():
            return match["link"][1:-2]
        place = posixpath.relpath(place_of(target), posixpath.dirname(page.file.src_uri) or ".")
        return f"{match['link']}{place}{'#' + anchor if anchor else ''})"

    return LINK.sub(lead, markdown)
