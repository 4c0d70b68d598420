"""Compiles protos/**/*.proto into the Python modules and stubs committed beside them."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    sources = sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("protos/**/*.proto"))
    bin_dir = Path(sys.executable).parent
    command = [
        sys.executable,
        "-m",
        "grpc_tools.protoc",
        f"--plugin=protoc-gen-mypy={bin_dir / 'protoc-gen-mypy'}",
        f"--plugin=protoc-gen-mypy_grpc={bin_dir / 'protoc-gen-mypy_grpc'}",
        "-I.",
        "--python_out=.",
        "--grpc_python_out=.",
        "--mypy_out=.",
        "--mypy_grpc_out=.",
        *sources,
    ]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
