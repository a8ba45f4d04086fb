package generators

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"
)

// Reads all balance changes through a gateway with the generated client, and prints them.
func TestLoop(t *testing.T) {
	client, err := NewClientWithResponses(os.Getenv("GATEWAY"))
	if err != nil {
		t.Fatal(err)
	}
	first := PaginationFirst(60)
	var after *PaginationAfter
	for more := true; more; {
		params := &ListBalanceChangesParams{PaginationFirst: &first, PaginationAfter: after}
		response, err := client.ListBalanceChangesWithResponse(context.Background(), params)
		if err != nil || response.JSON200 == nil {
			t.Fatal(err, string(response.Body))
		}
		page := response.JSON200.Balances
		for _, edge := range page.Edges {
			node, _ := json.Marshal(edge.Node)
			fmt.Println(string(node))
		}
		end := PaginationAfter(page.PageInfo.EndCursor)
		more, after = page.PageInfo.HasNextPage, &end
	}
}
