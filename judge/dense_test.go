package judge_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"dowse/internal/judgetest"
	"dowse/judge"
)

// TestDenseIsSparse compares verdicts, reasons and windows of a judge with the terms of its
// examples only with those of the same judge with all slots, to the last digit: before and after it learns,
// with a table so small that terms share slots, and for pages with words of no example.
func TestDenseIsSparse(t *testing.T) {
	if testing.Short() {
		t.Skip("short: starts no goroutines")
	}
	for _, slots := range []int{1 << 16, 64} {
		m, err := judge.Logistic{Slots: slots}.Train(judgetest.Class(40))
		if err != nil {
			t.Fatal(err)
		}
		j := m.(*judge.Online)
		for learnt := range 2 {
			all := j.Sparse()
			for i := range 30 {
				p := judgetest.Page(uint64(2000+i), 300, i%3 == 0)
				p.Title, p.Keywords = "Xylograph of reefs", "qwrt kelp"
				windows := judgetest.Windows(300)
				v, ratings := j.JudgeWindows(p, windows)
				wantV, want := all.JudgeWindows(p, windows)
				if !reflect.DeepEqual(v, wantV) || !reflect.DeepEqual(ratings, want) {
					t.Fatalf("%d slots, %d learnt, page %d: %v %v, want %v %v", slots, learnt, i, v, ratings, wantV, want)
				}
			}
			j.Learn(judgetest.Class(41)[40])
		}
	}
}

// TestTrainsOnTerms compares a judge that was trained on the terms of its examples with one that was trained on
// all slots: saved, they are the same to the byte.
func TestTrainsOnTerms(t *testing.T) {
	for _, slots := range []int{1 << 16, 64} {
		how := judge.Logistic{Slots: slots, Epochs: 3}
		m, err := how.Train(judgetest.Class(30))
		if err != nil {
			t.Fatal(err)
		}
		all, err := how.TrainSparse(judgetest.Class(30))
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%d slots: the judge is %.300s, want %.300s", slots, got, want)
		}
	}
}
