"""The compiled module, which the package alone uses."""
from typing import Any

core: Any
version: str
