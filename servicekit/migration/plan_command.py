"""`python -m SERVICE migrate --plan`."""

import json
import sys
from pathlib import Path
from typing import NoReturn

from servicekit.migration import plan, plan_report
from servicekit.migration.schema_versions import SchemaTooNewError
from servicekit.settings import DatabaseSettings
from servicekit.settings_errors import EXIT_STATUS


def print_and_exit(settings: DatabaseSettings, migrations: Path, *, as_json: bool) -> NoReturn:
    """Print the plan for the service's own database, and end with its status; with 78 where this code is too old."""
    try:
        made = plan.make(settings.session_url, migrations)
    except SchemaTooNewError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(EXIT_STATUS)
    text = (
        json.dumps(plan_report.values(made), indent=2)
        if as_json
        else "\n".join(plan_report.lines(migrations.parent.name, made))
    )
    sys.stdout.write(f"{text}\n")
    sys.exit(plan_report.exit_status(made))
