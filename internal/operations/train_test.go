package operations_test

import (
	"strings"
	"testing"

	"dowse/collection"
	"dowse/internal/operations"
)

// TestLabelsOverDamage labels pages of damaged collections. One record of the archive that can't be read is passed over, and searches
// mention it. If no model can be trained, the error says that the labels are kept.
func TestLabelsOverDamage(t *testing.T) {
	sameGoroutines(t)
	dir := copied(t)
	o := over(t, operations.Config{Dirs: []string{dir}, SearchKey: func() []byte { return []byte("0123456789abcdef") }})
	list, err := o.Pages(bg, "pools", operations.PageQuery{Verdict: "on", Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	var labels []operations.GivenLabel
	for _, p := range list.Pages {
		labels = append(labels, operations.GivenLabel{URL: string(p.URL), Label: "on"})
	}
	at := list.Pages[4].Fetch.Archive
	spoil(t, dir, "archive/"+at.File, func(b []byte) []byte { b[at.Offset+at.Length/2] ^= 0x55; return b })
	done, err := o.Label(bg, "pools", operations.LabelRequest{Labels: labels, Train: true, Accept: true})
	if err != nil || done.Trained.Error != "" || done.Trained.Unread != 1 {
		t.Fatalf("got %+v, %v; want a model that passed over one page", done, err)
	}
	found, err := searched(o, "tide")
	if err != nil || found.Unread != 1 || len(found.Notes) != 1 {
		t.Errorf("search: got %+v, %v; want a note on one page", found, err)
	}
	spoil(t, dir, "state/journal-*.log", nearTheEnd)
	_, err = o.Label(bg, "pools", operations.LabelRequest{Labels: labels[:2], Train: true})
	if operations.KindOf(err) != operations.Damaged || !strings.Contains(err.Error(), "2 labels kept, and no model was trained") || strings.Contains(err.Error(), "nothing was changed") {
		t.Errorf("a damaged journal: %v", err)
	}
	if kept, err := o.Labels(bg, "pools"); err != nil || len(kept.Labels) != len(labels) {
		t.Errorf("got %+v, %v; want %d labels", kept, err, len(labels))
	}
}

// TestRefusedModels trains a model that is refused because it changes many verdicts: the command of the answer uses it, and
// does not undo the model before it.
func TestRefusedModels(t *testing.T) {
	sameGoroutines(t)
	o := over(t, operations.Config{Dirs: []string{copied(t)}})
	list, err := o.Pages(bg, "pools", operations.PageQuery{Verdict: "on", Limit: 20})
	if err != nil {
		t.Fatal(err)
	}
	var labels []operations.GivenLabel
	for _, p := range list.Pages {
		labels = append(labels, operations.GivenLabel{URL: string(p.URL), Label: "off"})
	}
	done, err := o.Label(bg, "pools", operations.LabelRequest{Labels: labels, Train: true})
	if err != nil || !done.Trained.Refused {
		t.Fatalf("got %+v, %v; want a model that is refused", done, err)
	}
	if !strings.HasSuffix(done.Command, "--train --yes") {
		t.Errorf("refused: %s", done.Command)
	}
	done, err = o.Label(bg, "pools", operations.LabelRequest{Train: true, Accept: true})
	if err != nil || done.Trained.Refused || !strings.HasSuffix(done.Command, "--undo") {
		t.Fatalf("accepted: %+v, %v", done, err)
	}
	if _, err := o.Label(bg, "pools", operations.LabelRequest{Train: true}); operations.KindOf(err) != operations.Conflict {
		t.Errorf("train without new labels: %v", err)
	}
	if _, err := o.Train(bg, "pools", false); operations.KindOf(err) != operations.Conflict {
		t.Errorf("train without new labels: %v", err)
	}
}

// TestUndoAfterUndo undoes a model, trains another and undoes that: the model in use is again the one before it, the labels of
// the first model stay set aside, and the account of a page has the lines that are not in force.
func TestUndoAfterUndo(t *testing.T) {
	sameGoroutines(t)
	o := over(t, operations.Config{Dirs: []string{copied(t)}})
	list, err := o.Pages(bg, "pools", operations.PageQuery{Verdict: "on", Limit: 3})
	if err != nil {
		t.Fatal(err)
	}
	label := func(pages ...int) *collection.Model {
		t.Helper()
		var labels []operations.GivenLabel
		for _, i := range pages {
			labels = append(labels, operations.GivenLabel{URL: string(list.Pages[i].URL), Label: "off"})
		}
		done, err := o.Label(bg, "pools", operations.LabelRequest{Labels: labels, Train: true, Accept: true})
		if err != nil {
			t.Fatal(err)
		}
		return done.Trained
	}
	undo := func(want string, labels int) {
		t.Helper()
		if m, err := o.Models(bg, "pools"); err != nil || m.Undo != want {
			t.Errorf("an undo is said to return to %q, want %s; %v", m.Undo, want, err)
		}
		if m, err := o.Undo(bg, "pools", "", "ann"); err != nil || m.Model != want || m.Labels != labels {
			t.Fatalf("undo: %+v, %v; want %s with %d labels", m, err, want, labels)
		}
		if kept, err := o.Labels(bg, "pools"); err != nil || kept.Total != labels {
			t.Errorf("%d labels are in force, want %d; %v", kept.Total, labels, err)
		}
	}
	first := label(0, 1)
	undo(first.Before, 0)
	second := label(2)
	if second.Before != first.Before || second.Labels != 1 {
		t.Fatalf("got %+v, want a model of one label after %s", second, first.Before)
	}
	third := label(0)
	undo(second.Model, 1)
	undo(first.Before, 0)
	if _, err := o.Undo(bg, "pools", "", ""); operations.KindOf(err) != operations.Conflict {
		t.Errorf("an undo of the first model: %v", err)
	}
	if m, err := o.Undo(bg, "pools", third.Model, ""); err != nil || m.Model != third.Model {
		t.Fatalf("forward by name: %+v, %v", m, err)
	}
	a, err := o.Why(bg, "pools", string(list.Pages[0].URL), false)
	if err != nil || len(a.Labels) != 2 || a.Labels[0].Ended != "undone" || a.Labels[1].Ended != "" {
		t.Errorf("got %+v, %v; want a label that was set aside and one in force", a.Labels, err)
	}
	undo(second.Model, 1)
}
