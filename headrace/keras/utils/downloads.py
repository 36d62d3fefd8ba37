"""Files that are fetched once and kept in a folder of the user's."""

from __future__ import annotations

import hashlib
import os
import tarfile
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Sequence

from headrace.keras.utils.progress import Progbar

_CHUNK = 65535


def get_file(
    fname: str,
    origin: str,
    untar: bool = False,
    md5_hash: str | None = None,
    file_hash: str | None = None,
    cache_subdir: str = "datasets",
    hash_algorithm: str = "auto",
    extract: bool = False,
    archive_format: str | Sequence[str] | None = "auto",
    cache_dir: str | None = None,
) -> str:
    """The path of a file, which is fetched if it is not there or not what it should be.

    Args:
        fname: the file's name, or its path.
        origin: the URL it is fetched from.
        untar: whether it is an archive to unpack; `fname` is then the name of the folder in it. `extract` is better.
        md5_hash: older spelling of `file_hash`.
        file_hash: the file's checksum.
        cache_subdir: the folder below `cache_dir` that keeps it, or any folder's absolute path.
        hash_algorithm: "md5", "sha256", or "auto" to go by the checksum's length.
        extract: whether to unpack an archive beside it.
        archive_format: "tar", "zip", "auto" for either, None for none, or a list of them.
        cache_dir: the folder of all such files: `~/.keras`, or one for passing files where that cannot be written.

    Returns:
        its path; with `untar` that of the folder.

    Raises:
        OSError: if it is not there and cannot be fetched.
        ValueError: if what was fetched has another checksum, or an archive has paths that lead out of the folder.

    Example:
        path = tf.keras.utils.get_file("flowers.tgz", "https://example.org/flowers.tgz", extract=True)
    """
    if md5_hash is not None and file_hash is None:
        file_hash, hash_algorithm = md5_hash, "md5"
    folder = _folder(cache_dir, cache_subdir)
    unpacked = os.path.join(folder, fname)
    path = f"{unpacked}.tar.gz" if untar else unpacked
    if _is_wanted(path, file_hash, hash_algorithm):
        _fetch(origin, path, file_hash, hash_algorithm)
    if untar:
        if not os.path.exists(unpacked):
            _extract_archive(path, folder, archive_format="tar")
        return unpacked
    if extract:
        _extract_archive(path, folder, archive_format)
    return path


def _folder(cache_dir: str | None, cache_subdir: str) -> str:
    home = os.path.expanduser("~")
    base = os.path.join(home, ".keras") if cache_dir is None else os.path.expanduser(cache_dir)
    # A folder that is not there yet can be made where the one above it can be written.
    if not os.access(base if os.path.exists(base) else os.path.dirname(base) or ".", os.W_OK):
        base = os.path.join(tempfile.gettempdir(), ".keras")
    folder = os.path.join(base, cache_subdir)
    os.makedirs(folder, exist_ok=True)
    return folder


def _is_wanted(path: str, file_hash: str | None, algorithm: str) -> bool:
    if not os.path.exists(path):
        return True
    if file_hash is None or validate_file(path, file_hash, algorithm=algorithm):
        return False
    print(
        f"A local file was found, but it seems to be incomplete or outdated because the {algorithm} file hash does not "
        f"match the original value of {file_hash} so we will re-download the data."
    )
    return True


def _fetch(origin: str, path: str, file_hash: str | None, algorithm: str) -> None:
    print("Downloading data from", origin)
    bar: Progbar | None = None

    def report(count: int, block: int, total: int) -> None:
        nonlocal bar
        if bar is None:
            bar = Progbar(None if total == -1 else total)
        bar.update(count * block if total == -1 else min(count * block, total))

    # The name appears with the whole file only.
    descriptor, part = tempfile.mkstemp(dir=os.path.dirname(path), prefix=f"{os.path.basename(path)}.")
    os.close(descriptor)
    try:
        urllib.request.urlretrieve(origin, part, report)
        if file_hash is not None and not validate_file(part, file_hash, algorithm):
            raise ValueError(
                f"{origin} gave a file whose checksum is not {file_hash}. Put the right one at {path} by hand."
            )
        os.replace(part, path)
    except (urllib.error.ContentTooShortError, urllib.error.URLError, OSError) as error:
        reason = f"{getattr(error, 'errno', None)} -- {getattr(error, 'reason', error)}"
        raise OSError(
            f"URL fetch failure on {origin}: {reason}. Without a network, put the file "
            f"{os.path.basename(path)!r} into {os.path.dirname(path)} by hand."
        ) from error
    finally:
        if os.path.exists(part):
            os.remove(part)


def _hash_file(fpath: str, algorithm: str = "sha256", chunk_size: int = _CHUNK) -> str:
    """The checksum of a file as a hexadecimal number.

    Args:
        fpath: the file.
        algorithm: "sha256", "md5", or "auto", which is the first.
        chunk_size: how much is read at once.
    """
    hasher = hashlib.sha256() if algorithm in ("sha256", "auto") else hashlib.md5(usedforsecurity=False)
    with open(fpath, "rb") as file:
        while chunk := file.read(chunk_size):
            hasher.update(chunk)
    return hasher.hexdigest()


def validate_file(fpath: str, file_hash: str, algorithm: str = "auto", chunk_size: int = _CHUNK) -> bool:
    """Whether a file has a checksum.

    Args:
        fpath: the file.
        file_hash: the checksum.
        algorithm: "sha256", "md5", or "auto" to go by the checksum's length.
        chunk_size: how much is read at once.
    """
    sha256 = algorithm == "sha256" or (algorithm == "auto" and len(file_hash) == hashlib.sha256().digest_size * 2)
    return _hash_file(fpath, "sha256" if sha256 else "md5", chunk_size) == str(file_hash)


def _extract_archive(file_path: str, path: str = ".", archive_format: str | Sequence[str] | None = "auto") -> bool:
    """Unpacks a file if it is an archive.

    Args:
        file_path: the file.
        path: the folder to unpack into.
        archive_format: as for `get_file`.

    Returns:
        whether it was one.

    Raises:
        ValueError: if it has paths that lead out of the folder; nothing is unpacked then.
    """
    kinds = ["tar", "zip"] if archive_format == "auto" else archive_format or []
    for kind in [kinds] if isinstance(kinds, str) else kinds:
        if kind == "tar" and tarfile.is_tarfile(file_path):
            _extract_tar(file_path, path)
            return True
        if kind == "zip" and zipfile.is_zipfile(file_path):
            _extract_zip(file_path, path)
            return True
    return False


def _extract_tar(file_path: str, folder: str) -> None:
    with tarfile.open(file_path) as archive:
        try:
            for member in archive.getmembers():
                tarfile.data_filter(member, folder)
        except tarfile.FilterError as error:
            raise ValueError(f"{file_path} is not unpacked: {error}") from error
        archive.extractall(folder, filter="data")


def _extract_zip(file_path: str, folder: str) -> None:
    with zipfile.ZipFile(file_path) as archive:
        inside = os.path.realpath(folder)
        for name in archive.namelist():
            if os.path.commonpath([inside, os.path.realpath(os.path.join(inside, name))]) != inside:
                raise ValueError(f"{file_path} is not unpacked: {name!r} would be outside of the folder {folder}")
        archive.extractall(folder)
