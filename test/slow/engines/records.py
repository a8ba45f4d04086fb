"""Prints how many balance changes a destination has, and the SHA-256 of their lines of JSON in order."""

import hashlib
import json
import sqlite3
import sys

import duckdb
import psycopg2
import pyarrow.dataset

source, *query = sys.argv[1:]
if query:
    connect = {"sqlite": sqlite3.connect, "duckdb": duckdb.connect}
    kind, _, path = source.partition(":")
    cursor = (psycopg2.connect(source) if kind == "postgres" else connect[kind](path)).cursor()
    cursor.execute(query[0])
    rows = iter(cursor.fetchone, None)
else:
    table = pyarrow.dataset.dataset(source, partitioning="hive").to_table()
    times = (time * 1000 for time in table["time"].cast("int64").to_pylist())
    names = ["balance", "party", "asset", "market", "account_type"]
    rows = zip(times, *(table[name].to_pylist() for name in names))
lines = sorted(json.dumps([str(value) for value in row], separators=(",", ":")) for row in rows)
print(len(lines), hashlib.sha256("\n".join(lines).encode()).hexdigest())
