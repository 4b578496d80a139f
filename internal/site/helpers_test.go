package site

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/strategy/strategytest"
)

// run crawls a toy web to its end.
func run(c *crawl.Crawl, web strategytest.Toy, seeds ...dowse.URL) {
	runWith(c, web, nil, nil, seeds...)
}

// runWith is run with callbacks before and after each visit.
func runWith(c *crawl.Crawl, web strategytest.Toy, before func(crawl.Visit), after func(*dowse.Page), seeds ...dowse.URL) {
	now := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	c.Start(now, seeds)
	for {
		v, when, ok := c.Next(now)
		switch {
		case ok:
			if before != nil {
				before(v)
			}
			p, took := web.Visit(v)
			now = now.Add(took)
			c.Absorb(now, p)
			if after != nil {
				after(p)
			}
		case when.IsZero() || c.Stopped() != "":
			return
		default:
			now = when
		}
	}
}

func excludes(list ...string) (res []*regexp.Regexp) {
	for _, s := range list {
		res = append(res, regexp.MustCompile(s))
	}
	return res
}

func wellFormed(data []byte) error {
	d := xml.NewDecoder(bytes.NewReader(data))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}
