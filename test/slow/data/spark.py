import json
import sys

from pyspark.sql import SparkSession

# Spark has no type for nanoseconds: with this setting, they are integers.
spark = (
    SparkSession.builder.master("local[1]")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.legacy.parquet.nanosAsLong", "true")
    .getOrCreate()
)
changes = spark.read.parquet(sys.argv[1])
row = changes.selectExpr(
    "count(*) AS records",
    "cast(sum(balance) AS string) AS total",
    "cast(min(timestamp) AS string) AS first",
    "count(DISTINCT date) AS days",
).first()
print(json.dumps(row.asDict()))
