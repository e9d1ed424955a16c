"""Files of numba's cache that are known to be whole: what is empty, cut or damaged is compiled anew and written again."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

from numba.core.caching import IndexDataCacheFile

_SIZE = sha256().digest_size


class WholeFiles(IndexDataCacheFile):  # type: ignore[misc]
    """Index and machine code of a kernel, each followed by its digest, which numba's reader passes over."""

    @contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[io.BytesIO]:
        with super()._open_for_write(filepath) as file:
            content = io.BytesIO()
            yield content
            file.write(content.getvalue() + sha256(content.getvalue()).digest())

    def _load_index(self) -> dict[Any, str]:
        return dict(super()._load_index()) if _is_whole(Path(self._index_path)) else {}

    def _load_data(self, name: str) -> Any:
        if not _is_whole(Path(self._data_path(name))):
            raise FileNotFoundError  # numba compiles what is missing
        return super()._load_data(name)


def _is_whole(path: Path) -> bool:
    try:
        content = path.read_bytes()
    except OSError:
        return False
    return sha256(content[:-_SIZE]).digest() == content[-_SIZE:]
