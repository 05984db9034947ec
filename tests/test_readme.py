"""What the README points at is there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
TARGET = re.compile(r"\]\(([^)#]+)\)")


def test_every_link_of_the_readme_leads_to_a_file():
    targets = [target for target in TARGET.findall((ROOT / "README.md").read_text()) if "://" not in target]
    assert any(target.endswith(".png") for target in targets)
    assert [target for target in targets if not (ROOT / target).is_file()] == []
