import json, sys, urllib.parse, urllib.request

address, path, name = sys.argv[1:]
after = ""
while True:
    with urllib.request.urlopen(address + path + after) as response:
        page = json.load(response)[name]
    for edge in page["edges"]:
        print(json.dumps(edge["node"]))
    if not page["pageInfo"]["hasNextPage"]:
        break
    after = "&pagination.after=" + urllib.parse.quote(page["pageInfo"]["endCursor"], safe="")
