"""A driver of Spark that streams the files of a folder through ``detect``, and can be killed at any time.

    python driver.py FOLDER [READOUT]

The files are in FOLDER/in; FOLDER/out and FOLDER/checkpoint are written. With READOUT, the rows, the models, and the
rows of the same table judged as a batch are written there at the end.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from genreplay.core.grouped import TableRBM
from genreplay.fleet import models, spark
from genreplay.streams import TableEncoder

COLUMNS = "meter string, ts timestamp, mode string, `load (kW)` double, on boolean"
WARM_UP, RECIPE = 20, TableRBM(n_hidden=4, batch_size=10)


def main(folder: Path, readout: Path | None) -> None:
    session = spark.session(
        spark_master="local[2]",
        spark_ui_enabled="false",
        spark_sql_shuffle_partitions="2",
        spark_sql_session_timeZone="America/New_York",  # results do not depend on it
    )
    session.sparkContext.setLogLevel("ERROR")
    how = {"key": "meter", "time": "ts", "encoder": TableEncoder(), "recipe": RECIPE, "warm_up": WARM_UP, "seed": 7}
    source = session.readStream.schema(COLUMNS).option("maxFilesPerTrigger", 1).json(str(folder / "in"))
    query = (
        spark.detect(source, **how)
        .writeStream.format("json")
        .option("checkpointLocation", str(folder / "checkpoint"))
        .trigger(availableNow=True)
        .start(str(folder / "out"))
    )
    query.awaitTermination()
    if readout is None:
        return
    static = session.read.schema(COLUMNS).json(str(folder / "in"))
    batch = [row.asDict() for row in spark.detect(static, **how).collect()]
    judged = session.read.schema(session.read.json(str(folder / "out")).schema).json(str(folder / "out"))
    readout.mkdir()
    for name, rows in (("stream", [row.asDict() for row in judged.collect()]), ("batch", batch)):
        (readout / f"{name}.json").write_text(json.dumps(rows, default=lambda when: when.isoformat()))
    for key, file in models(folder / "checkpoint"):
        (readout / f"{key}.model").write_bytes(file)
    session.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None)
