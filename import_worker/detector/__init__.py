"""Finds the sponsors of a video in its title and description. Pure: no network, no clock, no state."""

from import_worker.detector.context import ChannelContext, ChannelLearning, channel_context
from import_worker.detector.detect import LEAST_PROBABILITY, detect, propose
from import_worker.detector.detection import DETECTOR_VERSION, Detection
from import_worker.detector.directory import Brand, Directory, bundled_directory, load_directory

__all__ = [
    "DETECTOR_VERSION",
    "LEAST_PROBABILITY",
    "Brand",
    "ChannelContext",
    "ChannelLearning",
    "Detection",
    "Directory",
    "bundled_directory",
    "channel_context",
    "detect",
    "load_directory",
    "propose",
]
