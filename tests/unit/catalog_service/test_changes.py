"""The changes of a batch, netted and in portions."""

from collections import Counter
from datetime import date
from types import SimpleNamespace
from typing import Any

from catalog_service.storage.rollups.changes import Changes


def claim(sponsor: int, youtuber: int, day: int = 1, **more: Any) -> Any:
    columns = {
        "video_id": 1000 * youtuber + 100 * sponsor + day,
        "sponsor_id": sponsor,
        "youtuber_id": youtuber,
        "published_on": date(2024, 5, day),
        "views": 10,
        "content_category": None,
        "sponsor_category": "food",
        "country": None,
        "kind": "affiliate",
        "confidence": 0.7,
    }
    return SimpleNamespace(**(columns | more))


def rows(portion: dict[str, list[Any]], *names: str) -> list[tuple[Any, ...]]:
    return list(zip(*(portion[name] for name in names), strict=True))


def test_a_row_that_went_and_came_again_is_no_change_but_its_history_is_read() -> None:
    changes = Changes()
    changes.went([claim(1, 2, day=3)])
    changes.came([claim(1, 2, day=3)])
    (portion,) = changes.parameters()
    assert portion["videos"] == []
    assert rows(portion, "sponsors", "youtubers") == [(1, 2)]


def test_a_row_that_moved_within_its_month_changes_both_days() -> None:
    changes = Changes()
    changes.went([claim(1, 2, day=3)])
    changes.came([claim(1, 2, day=20)])
    (portion,) = changes.parameters()
    found = [(day.day, videos) for day, videos in rows(portion, "day", "videos")]
    assert sorted(found) == [(3, -1), (20, 1)]
    assert rows(portion, "sponsors", "youtubers") == [(1, 2)]


def test_another_category_takes_from_the_one_and_adds_to_the_other() -> None:
    changes = Changes()
    changes.categorised([claim(1, 2, now="ai"), claim(1, 2, now="ai")])
    (portion,) = changes.parameters()
    sums = rows(portion, "sponsor", "category", "videos", "views")
    assert sorted(sums) == [(1, "ai", 2, 20), (1, "food", -2, -20)]
    assert portion["sponsors"] == []


def test_a_sponsor_that_is_gone_counts_for_its_category_only() -> None:
    changes = Changes()
    changes.went([claim(1, 2)])
    changes.came([claim(3, 2)])
    changes.forget(1)
    (portion,) = changes.parameters()
    sums = set(rows(portion, "sponsor", "category", "videos"))
    assert sums == {(None, "food", -1), (3, "food", 1)}
    assert rows(portion, "sponsors", "youtubers") == [(3, 2)]


def test_portions_hold_everything_once_and_split_no_youtuber() -> None:
    changes = Changes()
    changes.came([claim(number % 4, number % 7, day=1 + number) for number in range(28)])
    portions = list(changes.parameters(at_once=2))
    assert len(portions) == 4
    homes = Counter(item for portion in portions for item in set(portion["youtuber"]))
    assert homes == Counter(range(7))
    assert sum(sum(portion["videos"]) for portion in portions) == 28
    pairs = [pair for portion in portions for pair in rows(portion, "sponsors", "youtubers")]
    assert sorted(pairs) == sorted(changes.pairs)


def test_nothing_changed_is_no_portion() -> None:
    assert list(Changes().parameters()) == []


def video(youtuber: int, day: int, category: str | None = None) -> Any:
    return SimpleNamespace(youtuber_id=youtuber, published_on=date(2024, 5, day), category=category)


def test_new_videos_add_to_their_content_category_unless_their_youtuber_is_counted_again() -> None:
    changes = Changes()
    changes.appeared([video(1, 20, "music"), video(1, 3, "music"), video(1, 9, "gaming")])
    changes.appeared([video(1, 1), video(2, 5, "music")])
    changes.changed([2])
    added = changes.added_contents()
    assert rows(added, "numbers", "contents", "added", "first_added", "last_added") == [
        (1, "music", 2, date(2024, 5, 3), date(2024, 5, 20)),
        (1, "gaming", 1, date(2024, 5, 9), date(2024, 5, 9)),
    ]


def test_new_videos_add_to_totals_and_only_known_ones_have_them_counted_again() -> None:
    changes = Changes()
    changes.appeared([video(1, 20), video(1, 3), video(2, 9)])
    changes.changed([2, 3])
    changes.came([claim(8, 1)])
    sums = changes.totals()
    assert sorted(
        rows(sums, "numbers", "sponsored", "recounted", "added", "first_added", "last_added")
    ) == [
        (1, True, False, 2, date(2024, 5, 3), date(2024, 5, 20)),
        (2, False, True, 1, date(2024, 5, 9), date(2024, 5, 9)),
        (3, False, True, 0, None, None),
    ]
