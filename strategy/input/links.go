package input

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"dowse"
	"dowse/internal/linktext"
	"dowse/internal/plain"
)

// A LabelledLink is a link of which it is known whether it led to a relevant page.
type LabelledLink struct {
	Anchor   string
	URL      dowse.URL
	Relevant bool
}

// maxLabelled bounds the links that are read from a file.
const maxLabelled = 100_000

// ReadLabelledLinks reads labelled links: one per line, with tabs between + or -, the URL
// and the anchor. Empty lines and lines that begin with # are ignored. URLs are not parsed,
// since only their words count. At most 100,000 links are read; an error names the line.
func ReadLabelledLinks(r io.Reader) (list []LabelledLink, err error) {
	lines := bufio.NewScanner(plain.Unmarked(r))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimRight(lines.Text(), "\r")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		l, err := labelledLink(line)
		if err == nil && len(list) == maxLabelled {
			err = fmt.Errorf("%d links are the limit", maxLabelled)
		}
		if err != nil {
			return nil, fmt.Errorf("strategy: links to learn from: line %d: %w", n, err)
		}
		list = append(list, l)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("strategy: links to learn from: %w", err)
	}
	return list, nil
}

func labelledLink(line string) (l LabelledLink, err error) {
	fields := strings.Split(line, "\t")
	if len(fields) < 2 || fields[0] != "+" && fields[0] != "-" || fields[1] == "" {
		return l, fmt.Errorf("want + or -, a URL and an anchor, with tabs between")
	}
	l = LabelledLink{URL: dowse.URL(linktext.Cut(fields[1], linktext.MaxBytes)), Relevant: fields[0] == "+"}
	if len(fields) > 2 {
		l.Anchor = linktext.Cut(fields[2], linktext.MaxBytes)
	}
	return l, nil
}

// WriteLabelledLinks writes links in the format that ReadLabelledLinks reads. White space
// in anchors becomes single spaces.
func WriteLabelledLinks(w io.Writer, list []LabelledLink) error {
	b := bufio.NewWriter(w)
	for _, l := range list {
		sign := "-"
		if l.Relevant {
			sign = "+"
		}
		fmt.Fprintf(b, "%s\t%s\t%s\n", sign, l.URL, strings.Join(strings.Fields(l.Anchor), " "))
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("strategy: write links: %w", err)
	}
	return nil
}
