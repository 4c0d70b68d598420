"""Where the command line rebuilds the rollups of a catalogue's database."""

from catalog_service.storage.rollups.repair import Drift, RebuildRunningError, Report, rebuild

__all__ = ["Drift", "RebuildRunningError", "Report", "rebuild"]
