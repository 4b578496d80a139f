package sink

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"

	"dowse/internal/facts"
)

// openSearchTarget sends batches by the bulk API. The id of a document is the key of the page,
// and its version that of the record: a record that comes late never replaces a newer one.
type openSearchTarget struct {
	*service
	base  *url.URL
	index string
}

// openOpenSearch puts the index template, unless the sink was named without it.
func openOpenSearch(ctx context.Context, s Spec, svc *service) (receiver, error) {
	t := &openSearchTarget{svc, s.base, s.index}
	if !s.template {
		return t, nil
	}
	body, err := facts.Encode(indexTemplate(s.index))
	if err != nil {
		return nil, err
	}
	if _, err := t.do(ctx, http.MethodPut, t.base.JoinPath("_index_template", "dowse-"+s.index), "application/json", body, nil); err != nil {
		return nil, fmt.Errorf("index template: %w", err)
	}
	return t, nil
}

// acheNames are the names that ACHE gives to fields, and ours.
var acheNames = map[string]string{
	"domain": "host", "topPrivateDomain": "site", "retrieved": "fetched", "isRelevant": "on_topic",
}

// indexTemplate returns the index template: the types of the facts of pages, and the names of
// ACHE as aliases. An index that exists is not changed by it.
func indexTemplate(index string) map[string]any {
	keyword := map[string]any{"type": "keyword", "ignore_above": 8191}
	properties := map[string]any{
		"event": keyword, "key": keyword, "op": keyword, "version": map[string]any{"type": "long"}, "site": keyword, "schema": keyword,
		"because": map[string]any{"type": "object", "enabled": false},
	}
	for _, f := range facts.All() {
		if _, there := properties[f.Name]; there || !f.Printed && f.Name != "text" && f.Name != "use_flags" {
			continue
		}
		switch f.Type {
		case facts.Number, facts.Duration:
			properties[f.Name] = map[string]any{"type": "double"}
		case facts.Integer:
			properties[f.Name] = map[string]any{"type": "long"}
		case facts.Truth:
			properties[f.Name] = map[string]any{"type": "boolean"}
		case facts.Date:
			properties[f.Name] = map[string]any{"type": "date"}
		default:
			properties[f.Name] = keyword
		}
	}
	for _, name := range []string{"title", "text", "anchor", "detail"} {
		properties[name] = map[string]any{"type": "text"}
	}
	for name, path := range acheNames {
		properties[name] = map[string]any{"type": "alias", "path": path}
	}
	return map[string]any{
		"index_patterns": []string{index}, "priority": 100,
		"template": map[string]any{"mappings": map[string]any{"properties": properties}},
		"_meta":    map[string]any{"description": "pages of a focused crawl"},
	}
}

// A bulkAction is the line before a document.
type bulkAction struct {
	Index   string `json:"_index"`
	ID      string `json:"_id"`
	Version int64  `json:"version"`
	Type    string `json:"version_type"`
}

// A bulkAnswer is the answer to a bulk request: one item per action, in order.
type bulkAnswer struct {
	Errors bool                  `json:"errors"`
	Items  []map[string]bulkItem `json:"items"`
}

// A bulkItem is what became of one action.
type bulkItem struct {
	ID     string `json:"_id"`
	Status int    `json:"status"`
	Error  struct {
		Type   string `json:"type"`
		Reason string `json:"reason"`
	} `json:"error"`
}

// bulkTries is how often items that failed are sent by themselves before the whole batch
// fails, and bulkWait how long the first pause between two tries is.
const (
	bulkTries = 4
	bulkWait  = 250 * time.Millisecond
)

// send sends a batch. Of an answer with failures, items that may succeed later are sent again
// by themselves, a few times. Items that never will, as documents that do not fit the mapping,
// are refused.
func (t *openSearchTarget) send(ctx context.Context, b *batch) (refused int, why string, err error) {
	for try := 0; ; try++ {
		sorted, err := t.try(ctx, b)
		if err != nil {
			return halved(ctx, b, err, t.send)
		}
		if refused += sorted.refused; sorted.why != "" {
			why = sorted.why
		}
		if len(sorted.again) == 0 {
			return refused, why, nil
		}
		if try == bulkTries-1 {
			return 0, "", fmt.Errorf("%d of %d documents failed: %s", len(sorted.again), len(b.records), sorted.because)
		}
		b = &batch{records: sorted.again}
		wait := bulkWait << try
		select {
		case <-ctx.Done():
			return 0, "", ctx.Err()
		case <-time.After(wait/2 + rand.N(wait)):
		}
	}
}

// A bulkResult is what became of the records of a request.
type bulkResult struct {
	refused int
	why     string     // the last one was refused
	again   []outgoing // to be sent again
	because string     // the last of these failed
}

// try makes one request.
func (t *openSearchTarget) try(ctx context.Context, b *batch) (*bulkResult, error) {
	body, err := t.bulk(b)
	if err != nil {
		return nil, err
	}
	data, err := t.do(ctx, http.MethodPost, t.base.JoinPath("_bulk"), "application/x-ndjson", body, nil)
	if err != nil {
		return nil, err
	}
	var answer bulkAnswer
	if err := json.Unmarshal(data, &answer); err != nil {
		return nil, fmt.Errorf("the answer is not that of a bulk request: %w", err)
	}
	if len(answer.Items) != len(b.records) {
		return nil, fmt.Errorf("the answer has %d items, want %d", len(answer.Items), len(b.records))
	}
	return sortItems(b, answer.Items)
}

// bulk returns the body of a bulk request.
func (t *openSearchTarget) bulk(b *batch) ([]byte, error) {
	var out bytes.Buffer
	for i := range b.records {
		r := &b.records[i]
		verb := "index"
		if r.Op == opDelete {
			verb = "delete"
		}
		line, err := facts.Encode(map[string]bulkAction{verb: {t.index, r.Key, r.Version, "external_gte"}})
		if err != nil {
			return nil, err
		}
		out.Write(line)
		out.WriteByte('\n')
		if r.Op == opDelete {
			continue
		}
		site, err := facts.Encode(r.site)
		if err != nil {
			return nil, err
		}
		out.Write(r.line[:len(r.line)-1])
		fmt.Fprintf(&out, ",\"site\":%s}\n", site)
	}
	return out.Bytes(), nil
}

// sortItems sorts the items of an answer into accepted, refused and to be sent again.
func sortItems(b *batch, items []map[string]bulkItem) (*bulkResult, error) {
	out := &bulkResult{}
	for i, item := range items {
		if len(item) != 1 {
			return nil, fmt.Errorf("item %d of the answer has %d actions, want 1", i, len(item))
		}
		for _, x := range item {
			r := &b.records[i]
			problem := fmt.Sprintf("document %s: status %d: %s", r.Key, x.Status, excerpt([]byte(x.Error.Type+": "+x.Error.Reason)))
			switch {
			case x.ID != r.Key:
				return nil, errors.New("the answer is about other documents than the request")
			case x.isDone(r.Op):
			case x.mayPass():
				out.again, out.because = append(out.again, *r), problem
			default:
				out.refused, out.why = out.refused+1, problem
			}
		}
	}
	return out, nil
}

// isDone reports whether an action is done: also if the index has a newer version already, or
// if there was nothing to delete.
func (x *bulkItem) isDone(op string) bool {
	return x.Status >= 200 && x.Status < 300 || x.Status == http.StatusConflict || x.Status == http.StatusNotFound && op == opDelete
}

// mayPass reports whether an action that failed may succeed later: the cluster is overloaded
// or ill, or the index is missing or locked, which a person can mend.
func (x *bulkItem) mayPass() bool {
	return x.Status == http.StatusTooManyRequests || x.Status >= 500 || x.Status == http.StatusNotFound || x.Status == http.StatusForbidden || x.Status == 0
}

func (t *openSearchTarget) close() error {
	t.service.close()
	return nil
}
