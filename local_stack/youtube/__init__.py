"""A stand-in for YouTube on this machine: its Data API, feeds and pages over a made catalogue."""

from local_stack.youtube.catalogue import Catalogue, MadeChannel, MadeVideo
from local_stack.youtube.faults import Fault
from local_stack.youtube.server import YouTube

__all__ = ["Catalogue", "Fault", "MadeChannel", "MadeVideo", "YouTube"]
