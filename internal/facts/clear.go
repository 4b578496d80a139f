package facts

import (
	"reflect"

	"dowse"
)

// Clear removes from a page every fact that a takedown does not leave in the journal. It returns a
// page that holds only the URL and those facts.
//
// It begins with an empty page and copies what is kept. A fact, or a field of a page that is no fact,
// is therefore removed unless it is marked as kept: forgetting to mark one can't leave words of
// a page behind.
func Clear(p *dowse.Page) *dowse.Page {
	left := &dowse.Page{URL: p.URL}
	for _, f := range All() {
		if f.Field != nil && f.Kept {
			reflect.ValueOf(f.Field(left)).Elem().Set(reflect.ValueOf(f.Field(p)).Elem())
		}
	}
	return left
}

// IsClear reports whether a page holds only what [Clear] leaves. It does not consider how the visit ended
// and why, because a takedown sets both. Verifications use it: it looks at each fact and does not compare
// with the result of Clear, so that a mistake in Clear is found.
func IsClear(p *dowse.Page) bool {
	for _, f := range All() {
		if f.Field == nil || f.Kept || f.Name == "outcome" || f.Name == "reason" {
			continue
		}
		if !reflect.ValueOf(f.Field(p)).Elem().IsZero() && !empty(f.Field(p)) {
			return false
		}
	}
	return true
}

// empty reports whether a field is a list without items.
func empty(field any) bool {
	v := reflect.ValueOf(field).Elem()
	return v.Kind() == reflect.Slice && v.Len() == 0
}

// ClearByStrategy removes what strategies wrote about the page, and reports whether there was anything.
func ClearByStrategy(p *dowse.Page) (changed bool) {
	for _, f := range All() {
		if !f.ByStrategy {
			continue
		}
		if v := reflect.ValueOf(f.Field(p)).Elem(); !v.IsZero() {
			v.SetZero()
			changed = true
		}
	}
	return changed
}
