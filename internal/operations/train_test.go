package operations_test

import (
	"strings"
	"testing"

	"dowse/internal/operations"
)

// TestRefusedModels trains a model that is refused because it changes many verdicts: the command of the answer uses it, and
// does not undo the model before it.
func TestRefusedModels(t *testing.T) {
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
