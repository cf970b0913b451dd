"""The learner for devices: a C99 header, ``genreplay.h``, and the same bit for bit in NumPy."""

from genreplay.device.coder import Coder
from genreplay.device.export import write_c
from genreplay.device.reference import DeviceError, Reference
from genreplay.device.settings import Settings
from genreplay.device.transfer import from_device, to_device

__all__ = ["Coder", "DeviceError", "Reference", "Settings", "from_device", "to_device", "write_c"]
