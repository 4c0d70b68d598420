"""The part of a statement that adds changes to a rollup."""


def grow(table: str, keys: str, sums: str, source: str, label: str | None = None) -> str:
    """Return a statement part that adds the rows of `source` to those of a table with the same keys.

    `keys` and `sums` are names of columns with spaces between; the column `label` is neither, and
    takes the new row's value.
    """
    sum_names = sums.split()
    every = [*keys.split(), *sum_names, *([label] if label else [])]
    same = " AND ".join(f"held.{key} = grown.{key}" for key in keys.split())
    nothing = " AND ".join(f"held.{name} + grown.{name} = 0" for name in sum_names)
    values = [f"{name} = held.{name} + grown.{name}" for name in sum_names]
    values += [f"{label} = grown.{label}"] if label else []
    return (
        f", new_{table} AS (\nWITH {source}\n"
        f"MERGE INTO {table} AS held USING grown ON {same}\n"
        f"WHEN MATCHED AND {nothing} THEN DELETE\n"
        f"WHEN MATCHED THEN UPDATE SET {', '.join(values)}\n"
        f"WHEN NOT MATCHED THEN INSERT ({', '.join(every)})\n"
        f"VALUES ({', '.join(f'grown.{name}' for name in every)}))"
    )
