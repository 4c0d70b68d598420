"""The catalog's saved lists over gRPC, as the site's `ListStore`."""

from collections.abc import Sequence
from typing import Any, Final

import grpc.aio

from auth_service.clients.deadlines import PART_SECONDS
from protos.catalog.v1 import catalog_pb2 as pb
from protos.catalog.v1 import catalog_pb2_grpc as pb_grpc
from servicekit.grpc.client import call
from servicekit.grpc.codec import decode
from shapes.catalog.lists import ListChange, SavedList, SavedListPage, SavedLists

_JOB_SECONDS: Final = 10.0


class GrpcLists:
    """Call the catalog over one gRPC channel."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub: Any = pb_grpc.CatalogStub(channel)

    async def lists(self, account_id: str) -> Sequence[SavedList]:
        request = pb.AccountListsRequest(account_id=account_id)
        return decode(await self._call("ListSavedLists", request), SavedLists).lists

    async def page(
        self, account_id: str, list_id: str, limit: int, cursor: str | None
    ) -> SavedListPage:
        request = pb.SavedListPageRequest(
            account_id=account_id, list=list_id, limit=limit, cursor=cursor
        )
        return decode(await self._call("GetList", request), SavedListPage)

    async def create(
        self, account_id: str, name: str, list_type: str, names: Sequence[str]
    ) -> ListChange:
        request = pb.CreateListRequest(
            account_id=account_id, name=name, type=list_type, names=names
        )
        return decode(await self._call("CreateList", request), ListChange)

    async def add(self, account_id: str, list_id: str, names: Sequence[str]) -> ListChange:
        request = pb.ListNamesRequest(account_id=account_id, list=list_id, names=names)
        return decode(await self._call("AddToList", request), ListChange)

    async def remove(self, account_id: str, list_id: str, names: Sequence[str]) -> ListChange:
        request = pb.ListNamesRequest(account_id=account_id, list=list_id, names=names)
        return decode(await self._call("RemoveFromList", request), ListChange)

    async def rename(self, account_id: str, list_id: str, name: str) -> None:
        request = pb.RenameListRequest(account_id=account_id, list=list_id, name=name)
        await self._call("RenameList", request)

    async def delete(self, account_id: str, list_id: str) -> None:
        await self._call("DeleteList", pb.SavedListRequest(account_id=account_id, list=list_id))

    async def erase(self, account_id: str) -> None:
        request = pb.AccountListsRequest(account_id=account_id)
        await call(self._stub.EraseLists, request, timeout=_JOB_SECONDS)

    async def _call(self, method: str, request: Any) -> Any:
        return await call(getattr(self._stub, method), request, timeout=PART_SECONDS)
