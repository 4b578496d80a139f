package judge_test

import "dowse/judge"

func experiments() []judge.Candidate {
	return []judge.Candidate{
		{Name: "x-log-p.05", Trainer: judge.Logistic{Prior: 0.05}},
		{Name: "x-log-p.2", Trainer: judge.Logistic{Prior: 0.2}},
		{Name: "x-log-rate.3", Trainer: judge.Logistic{Rate: 0.3}},
		{Name: "x-log-rate3", Trainer: judge.Logistic{Rate: 3}},
		{Name: "x-log-head5", Trainer: judge.Logistic{Head: 5}},
		{Name: "x-log-e10", Trainer: judge.Logistic{Epochs: 10}},
		{Name: "x-log-d0", Trainer: judge.Logistic{Decay: 1e-5}},
	}
}
