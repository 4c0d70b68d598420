"""Compiles protos/**/*.proto into the Python modules and stubs committed beside them.

`--check` compiles into a folder that is thrown away and fails if what is committed differs.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def compile_into(folder: Path) -> int:
    """Runs protoc; returns its exit status."""
    sources = sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("protos/**/*.proto"))
    programs = Path(sys.executable).parent
    command = [
        sys.executable,
        "-m",
        "grpc_tools.protoc",
        f"--plugin=protoc-gen-mypy={programs / 'protoc-gen-mypy'}",
        f"--plugin=protoc-gen-mypy_grpc={programs / 'protoc-gen-mypy_grpc'}",
        "-I.",
        f"--python_out={folder}",
        f"--grpc_python_out={folder}",
        f"--mypy_out=quiet:{folder}",
        f"--mypy_grpc_out=quiet:{folder}",
        *sources,
    ]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def stale(fresh: Path) -> list[str]:
    """Committed files that are not what was compiled into `fresh`."""
    made = [path.relative_to(fresh) for path in fresh.glob("protos/**/*.py*")]
    return [
        str(path)
        for path in sorted(made)
        if not (ROOT / path).exists() or (ROOT / path).read_bytes() != (fresh / path).read_bytes()
    ]


def main(arguments: list[str]) -> int:
    if "--check" not in arguments:
        return compile_into(ROOT)
    with tempfile.TemporaryDirectory() as folder:
        status = compile_into(Path(folder))
        differing = stale(Path(folder))
    for path in differing:
        sys.stderr.write(f"{path} is out of date: run `make gen`.\n")
    return status or bool(differing)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
