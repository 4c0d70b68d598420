"""Compile protos/**/*.proto into the Python modules and stubs committed beside them.

`--check` compiles into a temporary folder and fails if the committed files differ.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def compile_into(folder: Path) -> int:
    """Run protoc and return its exit status."""
    sources = sorted(ROOT.glob("protos/**/*.proto"))
    services = [path for path in sources if "\nservice " in path.read_text()]
    return _protoc(sources, f"--python_out={folder}", f"--mypy_out=quiet:{folder}") or _protoc(
        services, f"--grpc_python_out={folder}", f"--mypy_grpc_out=quiet:{folder}"
    )


def _protoc(sources: list[Path], *outputs: str) -> int:
    programs = Path(sys.executable).parent
    command = [
        sys.executable,
        "-m",
        "grpc_tools.protoc",
        f"--plugin=protoc-gen-mypy={programs / 'protoc-gen-mypy'}",
        f"--plugin=protoc-gen-mypy_grpc={programs / 'protoc-gen-mypy_grpc'}",
        "-I.",
        *outputs,
        *(str(path.relative_to(ROOT)) for path in sources),
    ]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def stale(fresh: Path) -> list[str]:
    """Return the committed files that differ from those compiled into `fresh`, and leftovers."""
    wanted = {path.relative_to(fresh) for path in fresh.glob("protos/**/*_pb2*.py*")}
    present = {path.relative_to(ROOT) for path in ROOT.glob("protos/**/*_pb2*.py*")}
    present = {path for path in present if path.suffix in (".py", ".pyi")}
    differing = {
        path
        for path in wanted & present
        if (ROOT / path).read_bytes() != (fresh / path).read_bytes()
    }
    return sorted(map(str, (wanted ^ present) | differing))


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
