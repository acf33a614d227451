"""The compiled module, or the reason why it cannot be loaded."""
import os

HERE = os.path.dirname(os.path.abspath(__file__))


def _other_project():
    """The distribution "plumb" of another project, installed into the same folder as this package."""
    folder = os.path.dirname(HERE)
    for name in os.listdir(folder):
        if name.startswith("plumb-") and name.endswith((".dist-info", ".egg-info")):
            return os.path.join(folder, name)
    return None


if _other_project():
    raise ImportError(
        f"another project's package \"plumb\" is installed beside plumb-calibration ({_other_project()}), and both are imported as "
        "\"plumb\"; run: pip uninstall plumb, then pip install --force-reinstall plumb-calibration")

try:
    from plumb import _plumb as core
except ImportError as error:
    raise ImportError(f"plumb's compiled module could not be loaded from {HERE}: {error}") from error

version = core.version
