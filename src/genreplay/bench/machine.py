"""The machine and the library versions of a benchmark."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from threadpoolctl import threadpool_info

PACKAGES = ("genreplay", "numpy", "scipy", "scikit-learn", "numba", "torch", "rbms", "river")


def machine() -> dict[str, str]:
    """The processor, its load, and the versions of all libraries that take part.

    >>> sorted(machine())[:5]
    ['BLAS', 'Python', 'cores', 'genreplay', 'load before']
    """
    blas = {
        f"{pool['internal_api']} {pool['version']} ({pool.get('architecture', 'any')})"
        for pool in threadpool_info()
        if pool["user_api"] == "blas"
    }
    facts = {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "load before": f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown",
        "threads": "1 unless a line says otherwise",
        "system": f"{platform.system()} {platform.machine()}",
        "BLAS": ", ".join(sorted(blas)),
        "Python": platform.python_version(),
    }
    return facts | {name: found for name in PACKAGES if (found := _version(name))}


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text("utf-8", errors="replace").splitlines() if cpuinfo.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown"


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
