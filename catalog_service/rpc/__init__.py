"""The catalogue's gRPC services."""

import grpc.aio

from catalog_service.rpc.batch import BatchServicer
from catalog_service.rpc.corrections import CorrectionsServicer
from catalog_service.rpc.events import EventsServicer
from catalog_service.rpc.servicer import CatalogApi, CatalogServicer, Source, caller_of
from protos.catalog.v1 import batch_pb2_grpc, catalog_pb2, catalog_pb2_grpc, events_pb2_grpc

__all__ = ["CatalogApi", "add_servicers"]


def add_servicers(
    server: grpc.aio.Server, api: CatalogApi, operator_token: str, source: Source
) -> str:
    """Add the servicers; return the name of the service that health checks report on.

    `source` is the database that answers of the catalogue come from.
    """
    call = caller_of(api)
    operators = CorrectionsServicer(api.corrections, operator_token)
    # Its unary methods are made from their table.
    catalog = CatalogServicer(call, api.ingest, source)  # pyright: ignore[reportAbstractUsage]
    catalog_pb2_grpc.add_CatalogServicer_to_server(catalog, server)
    catalog_pb2_grpc.add_CorrectionsServicer_to_server(operators, server)
    batch_pb2_grpc.add_BatchCatalogServicer_to_server(BatchServicer(call, source), server)
    events_pb2_grpc.add_EventsServicer_to_server(EventsServicer(api.events), server)
    return catalog_pb2.DESCRIPTOR.services_by_name["Catalog"].full_name
