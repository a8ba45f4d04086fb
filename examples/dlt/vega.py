"""Loads balance changes through `vegaprotocol serve`, for example: python vega.py http://localhost:8080 duckdb"""

import sys

import dlt
from dlt.sources.rest_api import rest_api_source


def vega(address, start=None):
    """Reads from the newest change that was loaded, at first from a time in Unix nanoseconds or the oldest change."""
    changes = {
        "name": "balance_changes",
        # An interrupted load is repeated: merging stores each change once.
        "write_disposition": "merge",
        "primary_key": ["timestamp", "partyId", "assetId", "marketId", "accountType"],
        "columns": {
            "timestamp": {"data_type": "bigint"},
            "balance": {"data_type": "decimal", "precision": 38, "scale": 0},
        },
        "endpoint": {
            "path": "api/v2/balance/changes",
            "data_selector": "balances.edges[*].node",
            "params": {"pagination.first": 5000, "pagination.newestFirst": "false"},
            "incremental": {"cursor_path": "timestamp", "start_param": "dateRange.startTimestamp", "initial_value": start},
        },
    }
    return rest_api_source({"client": {"base_url": address, "paginator": "header_link"}, "resources": [changes]})


if __name__ == "__main__":
    pipeline = dlt.pipeline("vega_pipeline", destination=sys.argv[2], dataset_name="vega")
    print(pipeline.run(vega(sys.argv[1])))
