import json
import sys

import pyarrow.compute as compute
import pyarrow.dataset as dataset

table = dataset.dataset(sys.argv[1], format="parquet", partitioning="hive").to_table()
frame = table.to_pandas()
# The sum of a column of pandas has 28 digits; that of Arrow is exact.
total = compute.sum(table["balance"]).as_py()
print(
    json.dumps(
        {
            "records": len(frame),
            "total": f"{total:f}",
            "first": str(frame["timestamp"].min().value),
            "days": int(frame["date"].nunique()),
        }
    )
)
