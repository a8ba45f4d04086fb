set -eu
address=$1 path=$2 name=$3 after=
while :; do
  page=$(curl -sSf "$address$path$after")
  printf '%s' "$page" | jq -c ".$name.edges[].node"
  [ "$(printf '%s' "$page" | jq ".$name.pageInfo.hasNextPage")" = true ] || break
  after="&pagination.after=$(printf '%s' "$page" | jq -r ".$name.pageInfo.endCursor | @uri")"
done
