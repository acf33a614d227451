"""The command ``plumb``, and a word where another project's package has taken the name."""
import importlib.util
import os
import sys


def check():
    """ImportError where ``import plumb`` would give another project's package."""
    found = importlib.util.find_spec("plumb")
    folder = os.path.dirname(found.origin) if found and found.origin else None
    if folder is None or not os.path.isfile(os.path.join(folder, "_core.py")):
        where = f"from {folder}" if folder else "nowhere"
        raise ImportError(f"\"import plumb\" comes {where}, which is not plumb-calibration: another project's package of that name "
                          "shadows it; run: pip uninstall plumb, then pip install --force-reinstall plumb-calibration")
    return folder


def main():
    try:
        tool = os.path.join(check(), "bin", "plumb")
    except ImportError as error:
        sys.exit(f"plumb: {error}")
    if not os.path.isfile(tool):
        sys.exit(f"plumb: {tool} is missing; install plumb-calibration again, or use the plumb of your build")
    os.execv(tool, [tool, *sys.argv[1:]])
