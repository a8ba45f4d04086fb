package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"os"
)

type list struct {
	Edges    []struct{ Node json.RawMessage }
	PageInfo struct {
		HasNextPage bool
		EndCursor   string
	}
}

func main() {
	for after, more := "", true; more; {
		response, err := http.Get(os.Args[1] + os.Args[2] + after)
		if err != nil || response.StatusCode != http.StatusOK {
			log.Fatal(err, response)
		}
		body := map[string]list{}
		if err := json.NewDecoder(response.Body).Decode(&body); err != nil {
			log.Fatal(err)
		}
		page := body[os.Args[3]]
		for _, edge := range page.Edges {
			fmt.Println(string(edge.Node))
		}
		more, after = page.PageInfo.HasNextPage, "&pagination.after="+url.QueryEscape(page.PageInfo.EndCursor)
	}
}
