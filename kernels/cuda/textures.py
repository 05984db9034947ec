"""Texture objects: device memory that kernels read through the texture units (003, sections 5.3 and 6.2).

A texture is bound before the launches that read it, and must not be written by them. Imports CuPy.
"""

from __future__ import annotations

from typing import Any

import cupy
from cupy.cuda import runtime, texture

from antidiag.kernels.cuda import blocks
from antidiag.kernels.errors import MemoryRefused

WORD_BITS = 32
MOST_TEXELS = 1 << 27
"""Texels that every GPU can bind in a row."""


def bind(array: cupy.ndarray, words: int) -> Any:
    """A texture object of an array, for ``tex1Dfetch`` of int, int2 or int4: texels of ``words`` words of 4 bytes.

    It is unbound when it is forgotten: keep it until its launches have ended. MemoryRefused where it has more texels
    than the device can bind.
    """
    texels, most = array.nbytes // (4 * words), blocks.attributes().get("MaxTexture1DLinearWidth", MOST_TEXELS)
    if texels > most:
        raise MemoryRefused(
            f"a texture of {texels:,} texels is wanted, and this GPU binds up to {most:,}; "
            "choose the variant that uses shared memory alone"
        )
    bits = [WORD_BITS if word < words else 0 for word in range(4)]
    channels = texture.ChannelFormatDescriptor(*bits, runtime.cudaChannelFormatKindSigned)
    memory = texture.ResourceDescriptor(
        runtime.cudaResourceTypeLinear, arr=array, chDesc=channels, sizeInBytes=array.nbytes
    )
    reading = texture.TextureDescriptor(
        (runtime.cudaAddressModeClamp,), runtime.cudaFilterModePoint, runtime.cudaReadModeElementType
    )
    return texture.TextureObject(memory, reading)
