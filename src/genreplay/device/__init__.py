"""The learner for devices: a C99 header, ``genreplay.h``, and the same bit for bit in NumPy."""

from genreplay.device.reference import DeviceError, Reference
from genreplay.device.settings import Settings

__all__ = ["DeviceError", "Reference", "Settings"]
