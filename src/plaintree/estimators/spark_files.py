"""Fitted models of Spark in the directories that pyspark.ml writes, so saved pipelines hold them.

The metadata are those of pyspark.ml; the model is a table of one value, the bytes of a model file.
Spark writes and reads both, so every address that it knows will do.
"""

from __future__ import annotations

from typing import Any

from pyspark.ml.util import DefaultParamsReader, DefaultParamsWriter, MLReader, MLWriter

from plaintree.errors import ModelFileError

MODEL = "model"
"""The directory of the model in that of a stage, and the column in it."""


class TreeModelWriter(MLWriter):
    """Writes a fitted model as a stage of a pipeline."""

    def __init__(self, stage: Any) -> None:
        super().__init__()
        self.stage = stage

    def saveImpl(self, path: str) -> None:
        """Write the metadata and the model."""
        from plaintree.interop.model_file import to_bytes

        DefaultParamsWriter.saveMetadata(self.stage, path, self.sparkSession)
        content = bytearray(to_bytes(self.stage.model))
        rows = self.sparkSession.createDataFrame([(content,)], f"{MODEL} binary")
        rows.coalesce(1).write.parquet(f"{path}/{MODEL}")


class TreeModelReader(MLReader[Any]):
    """Reads what :class:`TreeModelWriter` has written."""

    def __init__(self, kind: type[Any]) -> None:
        super().__init__()
        self.kind = kind

    def load(self, path: str) -> Any:
        """Read the metadata and the model; nothing that is read is run."""
        from plaintree.interop.model_file import from_bytes

        metadata = DefaultParamsReader.loadMetadata(path, self.sparkSession)
        rows = self.sparkSession.read.parquet(f"{path}/{MODEL}").collect()
        if len(rows) != 1:
            raise ModelFileError(
                f"{path} is not a saved TreeModel",
                got=f"{len(rows)} models in {MODEL}",
                hint="pass a path that TreeModel.save has written.",
            )
        stage = self.kind(from_bytes(bytes(rows[0][MODEL])))
        stage._resetUid(metadata["uid"])
        DefaultParamsReader.getAndSetParams(stage, metadata)
        return stage
