"""The built images have no secret, and what their bills of materials list."""

from __future__ import annotations

from typing import Any

import pytest

from scripts import image_secrets, locks, sbom
from tests.containers.deployment import Deployment


def test_the_images_have_no_secret_in_any_layer(deployment: Deployment) -> None:
    del deployment  # has built them
    assert (
        image_secrets.in_images(f"sponsorgraph-test/{image}:test" for image in locks.IMAGES) == []
    )


@pytest.mark.parametrize("image", locks.IMAGES)
def test_an_image_has_the_python_packages_that_its_bill_lists(
    deployment: Deployment, image: str
) -> None:
    name = f"sponsorgraph-test/{image}:test"
    program = (
        "from importlib.metadata import distributions as d;"
        "print(*(f'{o.name.lower().replace(chr(95), chr(45)).replace(chr(46), chr(45))}@{o.version}'"
        " for o in d()))"
    )
    said = deployment.must("docker", "run", "--rm", "--entrypoint", "python", name, "-c", program)
    bill: dict[str, Any] = sbom.document(image, "test", sbom.debian_packages(name))
    listed = {
        f"{component['name'].replace('.', '-')}@{component['version']}"
        for component in bill["components"]
        if component["purl"].startswith("pkg:pypi/")
    }
    installed = {part for part in said.split() if not part.startswith("sponsorgraph@")}
    assert installed == listed
    assert any(component["purl"].startswith("pkg:deb/debian/") for component in bill["components"])
