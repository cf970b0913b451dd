"""The learner for devices: a C99 header, ``genreplay.h``, and the same bit for bit in NumPy."""

from genreplay.device.coder import Coder
from genreplay.device.reference import DeviceError, Reference
from genreplay.device.settings import Settings

__all__ = ["Coder", "DeviceError", "Reference", "Settings"]
