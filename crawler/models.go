package crawler

import (
	"errors"
	"fmt"

	"dowse"
	"dowse/collection"
	"dowse/topic"
)

// JudgeOf returns the judge of a collection with one of its models: m0000 is
// that of the topic alone, the others were trained on labels. "" selects the
// one in use. No outside judge is asked.
func JudgeOf(dir, model string) (*topic.Judge, error) {
	col, err := collection.Open(dir, nil, true)
	if err != nil {
		return nil, err
	}
	j, err := judgeOf(col, model)
	if err = errors.Join(err, col.Close()); err != nil {
		return nil, err
	}
	own, ok := j.(*topic.Judge)
	if !ok {
		return nil, fmt.Errorf("crawler: %s: a program of its own judged it", dir)
	}
	return own, nil
}

func judgeOf(col *collection.Collection, model string) (dowse.Judge, error) {
	if col.Settings.Formula == ownFormula {
		return nil, fmt.Errorf("crawler: %s: a program rates its pages by a judge of its own, which is not kept", col.Dir)
	}
	t, err := topicOf(col)
	if err != nil {
		return nil, err
	}
	b, err := rebuildJudge(col, t, Config{})
	if err != nil {
		return nil, err
	}
	models, err := collection.Models(col.Dir)
	if err != nil {
		return nil, err
	}
	if model == "" {
		model = collection.FirstModel
		for _, m := range models {
			if m.Done && m.Error == "" {
				model = m.Model
			}
		}
	}
	c := &Crawler{Collection: col, judging: &judging{col: col, topic: t, base: b.judge}}
	return c.judgeOf(models, model)
}
