"""Texts and their classes: DBpedia."""

from __future__ import annotations

import os
import tarfile
from typing import Any

import numpy as np

from headrace.datasets import csv_tables
from headrace.datasets.csv_tables import Datasets
from headrace.datasets.downloading import maybe_download

DBPEDIA_URL = "https://github.com/le-scientifique/torchDatasets/raw/master/dbpedia_csv.tar.gz"
_SMALLER = 1000


def maybe_download_dbpedia(data_dir: str) -> None:
    """Fetches DBpedia's texts into `dbpedia_csv` in a folder, if they are not there.

    Raises:
        FileNotFoundError: if they are not there and cannot be fetched.
    """
    if all(os.path.exists(os.path.join(data_dir, "dbpedia_csv", f"{part}.csv")) for part in ("train", "test")):
        return
    with tarfile.open(maybe_download("dbpedia_csv.tar.gz", data_dir, DBPEDIA_URL)) as archive:
        archive.extractall(data_dir, filter="data")


def load_dbpedia(size: str = "small", test_with_fake_data: bool = False) -> Datasets:
    """Titles and texts about things of 14 classes.

    They are in `dbpedia_data`, in the folder that the environment variable TF_EXP_BASE_DIR names or the present one, and
    fetched if they are not there.

    Args:
        size: "small" for every thousandth.
        test_with_fake_data: whether to take a few rows that come with the package instead.

    Returns:
        `Datasets(train, validation, test)`; there is nothing for validation.
    """
    if test_with_fake_data:
        return _read(csv_tables.table_path("text_train.csv"), csv_tables.table_path("text_test.csv"))
    folder = os.path.join(os.getenv("TF_EXP_BASE_DIR", ""), "dbpedia_data")
    maybe_download_dbpedia(folder)
    train, test = (os.path.join(folder, "dbpedia_csv", f"{part}.csv") for part in ("train", "test"))
    if size == "small":
        for path in (train, test):
            csv_tables.shrink_csv(path, _SMALLER)
        train, test = (path.replace(".csv", "_small.csv") for path in (train, test))
    return _read(train, test)


def _read(train: str, test: str) -> Datasets:
    parts = [csv_tables.load_csv_without_header(path, np.int32, str, target_column=0) for path in (train, test)]
    return Datasets(parts[0], None, parts[1])


def main(unused_argv: Any) -> None:
    """Fetches DBpedia's texts into the present folder and writes the small files."""
    maybe_download_dbpedia("dbpedia_data")
    for part in ("train", "test"):
        csv_tables.shrink_csv(f"dbpedia_data/dbpedia_csv/{part}.csv", _SMALLER)
