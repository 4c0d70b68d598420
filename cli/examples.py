"""Examples that the help of each command ends with."""

from collections.abc import Mapping
from typing import Final

import typer

EXAMPLES: Final[Mapping[str, tuple[str, ...]]] = {
    "up": (
        "sponsorgraph up",
        "SPONSORGRAPH_PORT=0 SPONSORGRAPH_SITE_PORT=0 SPONSORGRAPH_HOME=/tmp/second sponsorgraph up",
    ),
    "status": (
        "sponsorgraph status",
        "sponsorgraph status --watch 5",
        "sponsorgraph status --json",
    ),
    "doctor": ("sponsorgraph doctor", "sponsorgraph doctor --json"),
    "migrate": (
        "sponsorgraph migrate --plan",
        "sponsorgraph migrate --plan --json",
        "sponsorgraph migrate",
    ),
    "backup create": (
        "sponsorgraph backup create /var/backups/sponsorgraph.backup",
        "sponsorgraph backup create --keep-days 14",
    ),
    "backup check": (
        "sponsorgraph backup check",
        "sponsorgraph backup check latest --every-days 7",
    ),
    "backup list": ("sponsorgraph backup list", "sponsorgraph backup list --json"),
    "backup upload": (
        "sponsorgraph backup upload",
        "sponsorgraph backup upload sponsorgraph-20261121T021705Z.tar.age",
    ),
    "backup generate-key": ("sponsorgraph backup generate-key backup-identities",),
    "backup read-withdrawals": ("sponsorgraph backup read-withdrawals withdrawals.json",),
    "backup repeat-withdrawals": ("sponsorgraph backup repeat-withdrawals withdrawals.json",),
    "restore": ("sponsorgraph restore /var/backups/sponsorgraph.backup --force",),
    "reconcile": ("sponsorgraph reconcile", "sponsorgraph reconcile --json"),
    "request": (
        "sponsorgraph request 4f2c9a1be07d4638",
        "sponsorgraph request 4f2c9a1be07d4638 --json",
    ),
    "audit list": (
        "sponsorgraph audit list --account ada@example.com --since 7d",
        "sponsorgraph audit list --since 2026-11-20 --limit 10000 --json",
    ),
    "support-bundle": (
        "sponsorgraph support-bundle",
        "sponsorgraph support-bundle /tmp/for-support.tar.gz --lines 5000 --json",
    ),
    "audit-log": (
        "sponsorgraph audit-log --email ada@example.com",
        "sponsorgraph audit-log --before 1204 --limit 100",
    ),
    "import": (
        "sponsorgraph import @handle",
        "sponsorgraph import UCBR8-60-B28hp2BmDPdntcQ --since 2024-01-01 --max-videos 200",
    ),
    "imports list": (
        "sponsorgraph imports list",
        "sponsorgraph imports list --email ada@example.com --json",
    ),
    "imports cancel": ("sponsorgraph imports cancel imp_5f2c9a1be07d4638",),
    "imports retry": (
        "sponsorgraph imports retry imp_5f2c9a1be07d4638",
        "sponsorgraph imports retry imp_5f2c9a1be07d4638 --email ada@example.com --json",
    ),
    "demo": ("SPONSORGRAPH_BASE_URL=https://sponsorgraph.example sponsorgraph demo",),
    "connect": (
        "sponsorgraph connect claude-code --url https://sponsorgraph.example",
        "sponsorgraph connect codex --key --dry-run",
        "sponsorgraph connect opencode --skill",
        "sponsorgraph connect vscode --remove",
    ),
    "login": ("sponsorgraph login --url https://sponsorgraph.example",),
    "logout": ("sponsorgraph logout",),
    "tools": ("sponsorgraph tools", "sponsorgraph tools sponsor.search"),
    "call": (
        "sponsorgraph call sponsor.search search=nordvpn limit=3",
        "sponsorgraph call sponsor.top metric=views kinds=paid_sponsorship,affiliate --csv > top.csv",
        "sponsorgraph call sponsor.get sponsor=nordvpn --md --rows top_youtubers",
    ),
    "catalog load": (
        "sponsorgraph catalog load videos.jsonl.gz channels.csv",
        "sponsorgraph catalog load catalog.jsonl --strict",
    ),
    "catalog rebuild-rollups": (
        "sponsorgraph catalog rebuild-rollups",
        "sponsorgraph catalog rebuild-rollups --check",
    ),
    "review": ("sponsorgraph review", "sponsorgraph review --limit 20"),
    "corrections list": ("sponsorgraph corrections list --state received --limit 20",),
    "corrections show": ("sponsorgraph corrections show r_12",),
    "corrections accept": (
        "sponsorgraph corrections accept r_12 --note 'seen in the video' --sponsor nordvpn",
    ),
    "corrections reject": (
        "sponsorgraph corrections reject r_12 --note 'the brand is the creator'",
    ),
    "corrections merge": ("sponsorgraph corrections merge nord-vpn nordvpn --note 'one brand'",),
    "corrections log": ("sponsorgraph corrections log --limit 20",),
    "account create": (
        "sponsorgraph account create ada@example.com --plan creator",
        "sponsorgraph account create ada@example.com --password-stdin < password.txt",
    ),
    "account set-plan": ("sponsorgraph account set-plan ada@example.com creator_agent",),
    "account operator": (
        "sponsorgraph account operator ada@example.com",
        "sponsorgraph account operator ada@example.com --remove",
    ),
    "account disable": ("sponsorgraph account disable ada@example.com",),
    "account enable": ("sponsorgraph account enable ada@example.com",),
    "account show": ("sponsorgraph account show ada@example.com --json",),
    "account delete": (
        "sponsorgraph account delete ada@example.com --reason 'asked for it by mail'",
        "sponsorgraph account delete org_5f2c9a1be07d4638 --yes --json",
    ),
    "account reset-password": ("sponsorgraph account reset-password ada@example.com",),
    "account sessions": ("sponsorgraph account sessions ada@example.com",),
    "account end-sessions": (
        "sponsorgraph account end-sessions ada@example.com --reason 'lost laptop'",
        "sponsorgraph account end-sessions ada@example.com --session ses_5f2c9a1be07d4638",
    ),
    "account grants": ("sponsorgraph account grants ada@example.com",),
    "account revoke-grant": ("sponsorgraph account revoke-grant gr_5f2c9a1be07d4638",),
    "account set-limits": (
        "sponsorgraph account set-limits ada@example.com --monthly-requests 5000 --expires 30d "
        "--reason 'trial of the agent'",
        "sponsorgraph account set-limits ada@example.com --per-second 2 --burst 10 --reason 'floods'",
    ),
    "account clear-limits": ("sponsorgraph account clear-limits ada@example.com",),
    "account usage": (
        "sponsorgraph account usage ada@example.com --by tool",
        "sponsorgraph account usage ada@example.com --by key --month 2026-11 --json",
    ),
    "account list": (
        "sponsorgraph account list",
        "sponsorgraph account list --top 10",
        "sponsorgraph account list --json",
    ),
    "key create": ("sponsorgraph key create ada@example.com --name nightly --expires-in-days 90",),
    "key list": ("sponsorgraph key list ada@example.com",),
    "key revoke": ("sponsorgraph key revoke key_5f2c9a1be07d4638",),
    "issuer rotate-key": ("sponsorgraph issuer rotate-key",),
    "issuer add-machine": (
        "sponsorgraph issuer add-machine ada@example.com machine.jwks.json --name 'Nightly report'",
    ),
    "issuer machines": ("sponsorgraph issuer machines ada@example.com",),
    "issuer remove-machine": (
        "sponsorgraph issuer remove-machine machine_5f2c9a1be07d4638 --reason 'Its key was published'",
    ),
    "certificates make": (
        "sponsorgraph certificates make certificates --address 127.0.0.1 --days 90",
    ),
    "detect labels": ("sponsorgraph detect labels --out labels-corrections.jsonl",),
    "detect rerun": ("sponsorgraph detect rerun --dry-run", "sponsorgraph detect rerun --status"),
    "detect evaluate": (
        "sponsorgraph detect evaluate --labels labels.jsonl --folds",
        "sponsorgraph detect evaluate --labels labels.jsonl --floor-precision 0.9",
    ),
    "detect train": ("sponsorgraph detect train --labels labels.jsonl --out weights.json",),
    "detect review": (
        "sponsorgraph detect review --videos videos.jsonl.gz --list 20",
        "sponsorgraph detect review --videos videos.jsonl.gz --decisions labels.jsonl",
    ),
    "detect explain": (
        "sponsorgraph detect explain description.txt --title 'My new desk'",
        "pbpaste | sponsorgraph detect explain",
    ),
    "dev youtube": ("sponsorgraph dev youtube --data data --port 8190",),
}


def add_examples(app: typer.Typer, prefix: str = "") -> None:
    """Give each command of `app` and of its groups its examples, but for hidden names of before.

    Raises:
        KeyError: A command has none.
    """
    for command in app.registered_commands:
        if command.hidden:
            continue
        name = command.name or str(getattr(command.callback, "__name__", ""))
        # The help joins lines and separates paragraphs.
        command.epilog = "\n\n".join(("Examples:", *EXAMPLES[f"{prefix}{name}"]))
    for group in app.registered_groups:
        if group.typer_instance is not None:
            add_examples(group.typer_instance, f"{prefix}{group.name} ")
