"""Files that cases of ops read, where such a file cannot be written by another op."""

from __future__ import annotations

import base64
import zlib

LMDB = zlib.decompress(
    base64.b85decode(
        "c-rmQF$%&k7zWU!inztebF{sYLnmDoyqq}q4B`>=2nw~8Ac77S9NruLFMI?7*^&?j^KPDx*Fy}s#WUvNvs*8GY1khF0000mmN@GBKfXEVVbW*ulKuez0"
        "07|kifpwEZ91hkU6OkN004mhH0$OxtebtcTWz*Yl{ID8lvz`EO??Lt<}Mc"
    )
)
"""An LMDB database: value0, value1 and value2 under key0, key1 and key2."""
