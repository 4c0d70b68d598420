"""The gRPC face of the catalogue."""

from collections.abc import Callable

import grpc.aio

from catalog_service.rpc.batch import BatchServicer
from catalog_service.rpc.corrections import CorrectionsServicer
from catalog_service.rpc.methods import CatalogApi, asking
from catalog_service.rpc.servicer import CatalogServicer
from protos.catalog.v1 import batch_pb2_grpc, catalog_pb2, catalog_pb2_grpc

__all__ = ["CatalogApi", "register"]


def register(questions: CatalogApi, operator_token: str) -> Callable[[grpc.aio.Server], str]:
    """Adds the servicers to a server; gives the full name of the service that health speaks of."""
    ask = asking(questions)
    operators = CorrectionsServicer(questions.corrections, operator_token)

    def add(server: grpc.aio.Server) -> str:
        servicer = CatalogServicer(ask, questions.ingest)
        catalog_pb2_grpc.add_CatalogServicer_to_server(servicer, server)
        catalog_pb2_grpc.add_CorrectionsServicer_to_server(operators, server)
        batch_pb2_grpc.add_BatchCatalogServicer_to_server(BatchServicer(ask), server)
        return catalog_pb2.DESCRIPTOR.services_by_name["Catalog"].full_name

    return add
