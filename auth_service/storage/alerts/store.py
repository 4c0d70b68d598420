"""A transaction of alerts on Postgres. Deliveries are due by its clock, which all replicas share."""

import json
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from cryptography.fernet import Fernet, InvalidToken
from sqlalchemy import (
    Select,
    Subquery,
    case,
    delete,
    func,
    insert,
    select,
    true,
    tuple_,
    update,
)
from sqlalchemy.dialects.postgresql import insert as pg_insert
from sqlalchemy.ext.asyncio import AsyncConnection

from auth_service.domain.alerts.model import (
    EMAIL,
    POSTED,
    AlertId,
    Attempt,
    Channel,
    Delivery,
    Event,
    NewDelivery,
    Secret,
    Watch,
)
from auth_service.domain.alerts.ports import LoggedDelivery
from auth_service.domain.oauth import secrets
from auth_service.storage.alerts import tables as t
from auth_service.storage.site.store import PostgresSiteStore

_c, _w, _d, _a = t.alert_channels.c, t.alert_watches.c, t.alert_deliveries.c, t.alert_attempts.c
_p = t.alert_positions.c
_NOW: Final = func.clock_timestamp()
_DELIVERIES: Final = select(t.alert_deliveries, _w.subject_name).outerjoin(
    t.alert_watches, _w.id == _d.watch_id
)
_earlier: Final = t.alert_deliveries.alias("earlier")


class PostgresAlertStore(PostgresSiteStore):
    """Implement `AlertStore` on one connection.

    Args:
        connection: Of the transaction.
        cipher: Encrypts targets and secrets of channels.
    """

    def __init__(self, connection: AsyncConnection, cipher: Fernet) -> None:
        super().__init__(connection)
        self._connection = connection
        self._cipher = cipher

    async def channels(self, account_id: str) -> Sequence[Channel]:
        query = select(t.alert_channels).where(_c.account_id == account_id)
        rows = await self._connection.execute(query.order_by(_c.created_at, _c.id))
        return [self._channel(row) for row in rows]

    async def channels_by_id(self, channel_ids: Collection[str]) -> Sequence[Channel]:
        if not channel_ids:
            return ()
        query = select(t.alert_channels).where(_c.id.in_(channel_ids))
        return [self._channel(row) for row in await self._connection.execute(query)]

    async def locked_channel(self, channel_id: str) -> Channel | None:
        query = select(t.alert_channels).where(_c.id == channel_id).with_for_update()
        row = (await self._connection.execute(query)).one_or_none()
        return None if row is None else self._channel(row)

    async def add_channel(self, channel: Channel) -> None:
        values = {
            "id": channel.channel_id,
            "account_id": channel.account_id,
            "kind": channel.kind,
            "created_at": channel.created_at,
            **self._changeable(channel),
        }
        await self._connection.execute(insert(t.alert_channels).values(values))

    async def change_channel(self, channel: Channel) -> None:
        statement = update(t.alert_channels).where(_c.id == channel.channel_id)
        await self._connection.execute(statement.values(self._changeable(channel)))

    async def delete_channel(self, account_id: str, channel_id: str) -> bool:
        statement = delete(t.alert_channels).where(_c.account_id == account_id, _c.id == channel_id)
        return bool((await self._connection.execute(statement)).rowcount)

    async def watches(self, account_id: str) -> Sequence[Watch]:
        query = select(t.alert_watches).where(_w.account_id == account_id)
        rows = await self._connection.execute(_held(query))
        return [_watch(row) for row in rows]

    async def add_watch(self, watch: Watch) -> Watch:
        values = {
            "id": watch.watch_id,
            "account_id": watch.account_id,
            "about": watch.about,
            "subject_id": watch.subject_id,
            "subject_name": watch.subject_name,
            "kinds": list(watch.kinds),
            "channel_id": watch.channel_id,
            "created_at": watch.created_at,
        }
        write = pg_insert(t.alert_watches).values(values)
        changed = {name: write.excluded[name] for name in ("kinds", "subject_name")}
        statement = write.on_conflict_do_update(constraint="alert_watches_key", set_=changed)
        row = (await self._connection.execute(statement.returning(t.alert_watches))).one()
        return _watch(row)

    async def delete_watch(self, account_id: str, watch_id: str) -> bool:
        statement = delete(t.alert_watches).where(_w.account_id == account_id, _w.id == watch_id)
        return bool((await self._connection.execute(statement)).rowcount)

    async def watches_of(self, subjects: Collection[tuple[str, str]]) -> Sequence[Watch]:
        query = select(t.alert_watches).where(tuple_(_w.about, _w.subject_id).in_(sorted(subjects)))
        rows = await self._connection.execute(_held(query))
        return [_watch(row) for row in rows]

    async def accounts_watching(self, about: str) -> Sequence[str]:
        query = select(_w.account_id).where(_w.about == about).distinct().order_by(_w.account_id)
        return list((await self._connection.execute(query)).scalars())

    async def position(self, source: str) -> int | None:
        query = select(_p.position).where(_p.source == source)
        return (await self._connection.execute(query)).scalar_one_or_none()

    async def advance(self, source: str, before: int | None, after: int) -> bool:
        statement: Any
        if before is None:
            values = {"source": source, "position": after}
            statement = pg_insert(t.alert_positions).values(values).on_conflict_do_nothing()
        else:
            statement = (
                update(t.alert_positions)
                .where(_p.source == source, _p.position == before)
                .values(position=after)
            )
        return bool((await self._connection.execute(statement)).rowcount)

    async def add_deliveries(self, deliveries: Sequence[NewDelivery]) -> None:
        # One statement each, in their order: the numbers of a statement's rows may be in any.
        for new in deliveries:
            await self._add(new.watch.channel_id, new.watch.watch_id, new.event, new.due_at)

    async def add_test(self, channel_id: str, event: Event, due_at: datetime | None) -> None:
        await self._add(channel_id, None, event, due_at)

    async def _add(
        self, channel_id: str, watch_id: str | None, event: Event, due_at: datetime | None
    ) -> None:
        values = {
            "id": secrets.new_id("msg"),
            "channel_id": channel_id,
            "watch_id": watch_id,
            "event_id": event.event_id,
            "kind": event.kind,
            "event_at": event.at,
            "data": dict(event.data),
            "state": "delivered" if due_at is None else "pending",
            "created_at": _NOW,
            "due_at": due_at,
        }
        await self._connection.execute(
            pg_insert(t.alert_deliveries).values(values).on_conflict_do_nothing()
        )

    async def claim_deliveries(self, limit: int, lease: timedelta) -> Sequence[Delivery]:
        is_first = ~(
            select(_earlier.c.number)
            .where(
                _earlier.c.watch_id == _d.watch_id,
                _earlier.c.state == "pending",
                _earlier.c.number < _d.number,
            )
            .exists()
        )
        due = (
            select(_d.number)
            .join(t.alert_channels, _c.id == _d.channel_id)
            .where(_d.state == "pending", _d.due_at <= _NOW, is_first)
            .where(_c.kind.in_(POSTED), _c.disabled_at.is_(None))
            .order_by(_d.due_at)
            .limit(limit)
            .with_for_update(skip_locked=True, of=t.alert_deliveries)
            .cte("due")
        )
        statement = (
            update(t.alert_deliveries)
            .where(_d.number.in_(select(due.c.number)))
            .values(due_at=_NOW + lease, attempts=_d.attempts + 1)
            .returning(_d.number)
        )
        return await self._returned(statement)

    async def has_due(self) -> bool:
        due = select(_d.number).where(_d.state == "pending", _d.due_at <= _NOW)
        return bool(await self._connection.scalar(select(due.exists())))

    async def due_mail_channel(self) -> Channel | None:
        due = (
            select(_d.number)
            .where(_d.channel_id == _c.id, _d.state == "pending", _d.due_at <= _NOW)
            .exists()
        )
        query = (
            select(t.alert_channels)
            .where(_c.kind == EMAIL, _c.disabled_at.is_(None), due)
            .limit(1)
            .with_for_update(skip_locked=True)
        )
        row = (await self._connection.execute(query)).one_or_none()
        return None if row is None else self._channel(row)

    async def claim_mailed(self, channel_id: str, limit: int) -> Sequence[Delivery]:
        due = (
            select(_d.number)
            .where(_d.channel_id == channel_id, _d.state == "pending", _d.due_at <= _NOW)
            .order_by(_d.number)
            .limit(limit)
        )
        statement = (
            update(t.alert_deliveries)
            .where(_d.number.in_(due))
            .values(attempts=_d.attempts + 1)
            .returning(_d.number)
        )
        return await self._returned(statement)

    async def mark_mailed(self, deliveries: Sequence[Delivery]) -> None:
        ids = [delivery.delivery_id for delivery in deliveries]
        statement = update(t.alert_deliveries).where(_d.id.in_(ids))
        await self._connection.execute(statement.values(state="delivered", due_at=None))

    async def record_attempt(
        self, delivery: Delivery, attempt: Attempt, due_at: datetime | None
    ) -> None:
        number = select(_d.number).where(_d.id == delivery.delivery_id).scalar_subquery()
        # The watch, and with it the delivery, may have been deleted meanwhile.
        values = {
            "delivery_number": number,
            "at": attempt.at,
            "status": attempt.status,
            "response": attempt.response,
            "error": attempt.error,
            "milliseconds": attempt.milliseconds,
        }
        ended = "delivered" if attempt.is_success else "dead"
        state = "pending" if due_at is not None else ended
        statement = (
            update(t.alert_deliveries)
            .where(_d.id == delivery.delivery_id)
            # One that another process has delivered since this one's lease has ended stays delivered.
            .values(
                state=case((_d.state == "pending", state), else_=_d.state),
                due_at=case((_d.state == "pending", due_at), else_=_d.due_at),
            )
        )
        if (await self._connection.execute(statement)).rowcount:
            await self._connection.execute(insert(t.alert_attempts).values(values))

    async def end_pending(self, channel_id: str) -> None:
        statement = update(t.alert_deliveries).where(
            _d.channel_id == channel_id, _d.state == "pending"
        )
        await self._connection.execute(statement.values(state="dead", due_at=None))

    async def deliveries(
        self, account_id: str, limit: int, offset: int
    ) -> Sequence[LoggedDelivery]:
        own = select(_c.id).where(_c.account_id == account_id)
        query = _DELIVERIES.where(_d.channel_id.in_(own)).order_by(_d.number.desc())
        rows = (await self._connection.execute(query.limit(limit).offset(offset))).all()
        attempts: dict[int, list[Attempt]] = {row.number: [] for row in rows}
        tried = select(t.alert_attempts).where(_a.delivery_number.in_(attempts))
        for row in await self._connection.execute(tried.order_by(_a.number.desc())):
            attempts[row.delivery_number].append(
                Attempt(row.at, row.status, row.response, row.error, row.milliseconds)
            )
        return [LoggedDelivery(_delivery(row), attempts[row.number]) for row in rows]

    async def alerts(self, account_id: str, watch_id: str | None, limit: int) -> Sequence[Delivery]:
        numbers = _newest(account_id, watch_id, limit)
        query = _DELIVERIES.where(_d.number.in_(select(numbers.c.number)))
        rows = await self._connection.execute(query.order_by(_d.number.desc()))
        return [_delivery(row) for row in rows]

    async def alert_ids(self, account_id: str, limit: int) -> Sequence[AlertId]:
        newest = _newest(account_id, None, limit)
        rows = await self._connection.execute(select(newest).order_by(newest.c.number.desc()))
        return [AlertId(row.id, row.watch_id) for row in rows]

    async def feed(self, channel_id: str, limit: int) -> Sequence[Delivery]:
        query = _DELIVERIES.where(_d.channel_id == channel_id, _d.state == "delivered")
        rows = await self._connection.execute(query.order_by(_d.number.desc()).limit(limit))
        return [_delivery(row) for row in rows]

    async def redeliver(self, account_id: str, delivery_id: str) -> bool:
        own = select(_c.id).where(
            _c.account_id == account_id, _c.kind.in_(POSTED), _c.disabled_at.is_(None)
        )
        statement = (
            update(t.alert_deliveries)
            .where(_d.id == delivery_id, _d.channel_id.in_(own), _d.state != "pending")
            .values(state="pending", attempts=0, due_at=_NOW)
        )
        return bool((await self._connection.execute(statement)).rowcount)

    async def _returned(self, statement: Any) -> list[Delivery]:
        """Return the deliveries that a statement changed, in their order."""
        numbers = list((await self._connection.execute(statement)).scalars())
        rows = await self._connection.execute(
            _DELIVERIES.where(_d.number.in_(numbers)).order_by(_d.number)
        )
        return [_delivery(row) for row in rows]

    def _content(self, encrypted: bytes) -> dict[str, Any]:
        try:
            return json.loads(self._cipher.decrypt(encrypted))
        except InvalidToken:  # of another secret of the installation: it leads nowhere
            return {"target": "", "secrets": []}

    def _changeable(self, channel: Channel) -> dict[str, Any]:
        content = {
            "target": channel.target,
            "secrets": [
                [secret.value, None if secret.until is None else secret.until.isoformat()]
                for secret in channel.secrets
            ],
        }
        return {
            "name": channel.name,
            "content": self._cipher.encrypt(json.dumps(content).encode()),
            "digest": channel.digest,
            "confirmed_at": channel.confirmed_at,
            "failing_since": channel.failing_since,
            "disabled_at": channel.disabled_at,
        }

    def _channel(self, row: Any) -> Channel:
        content = self._content(row.content)
        return Channel(
            row.id,
            row.account_id,
            row.kind,
            row.name,
            content["target"],
            tuple(
                Secret(value, None if until is None else datetime.fromisoformat(until))
                for value, until in content["secrets"]
            ),
            row.digest,
            row.created_at,
            row.confirmed_at,
            row.failing_since,
            row.disabled_at,
        )


def _newest(account_id: str, watch_id: str | None, limit: int) -> Subquery:
    """Return the newest deliveries of an account: of each of its channels by the index, then of all."""
    of_channel = select(_d.number, _d.id, _d.watch_id).where(
        _d.channel_id == _c.id, _d.watch_id.is_not(None)
    )
    if watch_id is not None:
        of_channel = of_channel.where(_d.watch_id == watch_id)
    newest = of_channel.order_by(_d.number.desc()).limit(limit).lateral("of_channel")
    query = select(newest).select_from(t.alert_channels.join(newest, true()))
    query = query.where(_c.account_id == account_id)
    return query.order_by(newest.c.number.desc()).limit(limit).subquery("newest")


def _held(query: Select[Any]) -> Select[Any]:
    """Return the query of watches in their order, with locks that let nobody delete them meanwhile."""
    return query.order_by(_w.created_at, _w.id).with_for_update(read=True, key_share=True)


def _watch(row: Any) -> Watch:
    return Watch(
        row.id,
        row.account_id,
        row.about,
        row.subject_id,
        row.subject_name,
        tuple(row.kinds),
        row.channel_id,
        row.created_at,
    )


def _delivery(row: Any) -> Delivery:
    return Delivery(
        row.id,
        row.channel_id,
        row.watch_id or "",
        row.subject_name or "",
        row.event_id,
        row.kind,
        row.event_at,
        row.data,
        row.state,
        row.attempts,
        row.created_at,
        row.due_at,
    )
