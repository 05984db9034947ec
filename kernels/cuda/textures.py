"""Texture objects: device memory that kernels read through the texture units (Hanif 2014, sections 5.3 and 6.2).

A texture is bound before the launches that read it, and must not be written by them. Imports CuPy.
"""

from __future__ import annotations

from typing import Any

import cupy
from cupy.cuda import runtime, texture

from antidiag.kernels.cuda import block_limits
from antidiag.kernels.errors import MemoryRefused

WORD_BITS = 32
MOST_TEXELS = 1 << 27
"""Texels of a linear texture that every GPU can bind."""


def refuse_texels(texels: int, remedy: str) -> None:
    """MemoryRefused, with what to do instead, where the device cannot bind so many texels."""
    most = block_limits.device_attributes().get("MaxTexture1DLinearWidth", MOST_TEXELS)
    if texels > most:
        raise MemoryRefused(f"the texture needs {texels:,} texels, but this GPU binds up to {most:,}; {remedy}")


def bind_texture(array: cupy.ndarray, words: int) -> Any:
    """Return a texture object of an array, for ``tex1Dfetch`` of int, int2 or int4: texels of ``words`` 4-byte words.

    Keep it until its launches have ended: it is unbound when nothing refers to it. Raises MemoryRefused where the
    device cannot bind so many texels.
    """
    refuse_texels(array.nbytes // (4 * words), "choose the variant that uses shared memory only")
    bits = [WORD_BITS if word < words else 0 for word in range(4)]
    channels = texture.ChannelFormatDescriptor(*bits, runtime.cudaChannelFormatKindSigned)
    memory = texture.ResourceDescriptor(
        runtime.cudaResourceTypeLinear, arr=array, chDesc=channels, sizeInBytes=array.nbytes
    )
    reading = texture.TextureDescriptor(
        (runtime.cudaAddressModeClamp,), runtime.cudaFilterModePoint, runtime.cudaReadModeElementType
    )
    return texture.TextureObject(memory, reading)
