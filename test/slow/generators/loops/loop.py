import sys

from openapi_client import AccountsApi, ApiClient, Configuration

accounts = AccountsApi(ApiClient(Configuration(host=sys.argv[1])))
after = None
while True:
    page = accounts.list_balance_changes(pagination_first=60, pagination_after=after).balances
    for edge in page.edges:
        print(edge.node.to_json())
    if not page.page_info.has_next_page:
        break
    after = page.page_info.end_cursor
