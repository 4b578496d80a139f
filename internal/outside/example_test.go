package outside_test

import (
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"dowse"
	"dowse/internal/outside"
	"dowse/judge"
)

func Example() {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `{"choices":[{"message":{"content":"{\"score\":0.9,\"because\":[\"a reef that recovers\"]}"}}]}`)
	}))
	defer service.Close()
	inner, err := judge.NewWords(judge.Wanted{Words: []string{"coral bleaching"}})
	if err != nil {
		log.Fatal(err)
	}
	j, err := outside.Open(inner, outside.Config{
		Endpoint: service.URL, Model: "some-model", About: "coral bleaching",
		Options: outside.Options{From: 0.01, To: 0.7},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer j.Close()
	text := "The coral came back after the heat."
	v := j.Judge(&dowse.Page{Document: dowse.Document{Text: text, Words: dowse.Words(text)}})
	fmt.Printf("%.1f %s\n", v.Relevance, v.Because[0].What)
	// Output: 0.9 asked: a reef that recovers
}
