"""Runs a sample, and prints its `totals` as rows of JSON: asset, count and sum."""

import json
import sys

scope = {}
exec(sys.stdin.read(), scope)
totals = scope["totals"]
library = type(totals).__module__.split(".")[0]
if library == "pyarrow":
    rows = zip(*(column.to_pylist() for column in totals.columns))
else:
    method = {"_duckdb": "fetchall", "pandas": "itertuples", "polars": "rows", "pyspark": "collect"}[library]
    rows = getattr(totals, method)()
print("\n" + json.dumps([[asset, int(count), str(int(total))] for asset, count, total in rows]))
