"""A stand-in for YouTube on this machine: its Data API, feeds and pages over a made catalogue."""

from devstack.youtube.catalogue import Catalogue, MadeChannel, MadeVideo
from devstack.youtube.faults import Fault
from devstack.youtube.server import YouTube

__all__ = ["Catalogue", "Fault", "MadeChannel", "MadeVideo", "YouTube"]
