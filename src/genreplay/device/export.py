"""A learner as C: the header, its configuration, and the model as a slot that ``gr_load`` reads."""

from __future__ import annotations

import shutil
from pathlib import Path

from genreplay.device.reference import Reference
from genreplay.device.toolchain import HEADER

_MODEL = """\
/* A model from Python, as a slot of gr_save. In your program:
 *
 *     #include "genreplay_model.h"
 *
 *     static gr_model model;
 *     gr_load(&model, gr_exported, sizeof gr_exported);
 */
#ifndef GENREPLAY_MODEL_H
#define GENREPLAY_MODEL_H
#include "genreplay_config.h"
#include "genreplay.h"

static const uint8_t gr_exported[GR_SLOT] = {
%s
};
#endif
"""
_PER_LINE = 20


def write_c(learner: Reference, folder: Path) -> list[Path]:
    """Write ``genreplay.h``, ``genreplay_config.h`` and ``genreplay_model.h``. Return their paths.

    >>> import tempfile
    >>> from genreplay.device import Settings
    >>> folder = Path(tempfile.mkdtemp())
    >>> [path.name for path in write_c(Reference(Settings(n_visible=8, n_hidden=4)), folder)]
    ['genreplay.h', 'genreplay_config.h', 'genreplay_model.h']
    """
    folder.mkdir(parents=True, exist_ok=True)
    header, config, model = (folder / name for name in ("genreplay.h", "genreplay_config.h", "genreplay_model.h"))
    shutil.copyfile(HEADER, header)
    macros = "\n".join(f"#define {define}" for define in learner.settings.defines())
    config.write_text(
        f"/* How the model learns. Sizes must stay as they are; rates may change. */\n{macros}\n", "utf-8"
    )
    data = learner.to_bytes()
    lines = [data[start : start + _PER_LINE] for start in range(0, len(data), _PER_LINE)]
    model.write_text(_MODEL % "\n".join("    " + " ".join(f"{byte}," for byte in line) for line in lines), "utf-8")
    return [header, config, model]
