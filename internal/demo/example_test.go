package demo_test

import (
	"fmt"

	"dowse/internal/demo"
)

// The demo web knows which of its pages are relevant.
func Example() {
	web := demo.New(demo.Config{})
	topic := web.Topics()[0]
	fmt.Println(web.Len(), "pages,", topic.Name, topic.Path)
	for _, seed := range web.Seeds(topic.Name, 2) {
		page, _ := web.Page(seed)
		relevant, _ := web.Truth(seed, topic.Name)
		fmt.Println(seed, page.Status, page.Type, relevant)
	}
	relevant, _ := web.Truth("http://besttidepools.demo/", topic.Name)
	fmt.Println("the link farm:", relevant)
	// Output:
	// 2400 pages, tide pools Top/Nature/Coast/Tide_Pools
	// http://shorewalks.demo/ 200 text/html; charset=utf-8 true
	// http://kelp.demo/ 200 text/html; charset=utf-8 true
	// the link farm: false
}
