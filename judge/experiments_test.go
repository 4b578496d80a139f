package judge_test

import "dowse/judge"

func experiments() []judge.Candidate {
	return []judge.Candidate{
		{Name: "x-svm-damp", Trainer: judge.SVM{Features: judge.Features{Damp: true}}},
		{Name: "x-svm-all", Trainer: judge.SVM{Features: judge.Features{Terms: -1}}},
		{Name: "x-svm-damp-all", Trainer: judge.SVM{Features: judge.Features{Damp: true, Terms: -1}}},
		{Name: "x-cen-damp", Trainer: judge.Centroid{Features: judge.Features{Damp: true}}},
		{Name: "x-cen-damp-all", Trainer: judge.Centroid{Features: judge.Features{Damp: true, Terms: -1}}},
		{Name: "x-cen-damp-all-k1", Trainer: judge.Centroid{K: 1, Features: judge.Features{Damp: true, Terms: -1}}},
		{Name: "x-kde-damp", Trainer: judge.KDE{Features: judge.Features{Damp: true}}},
		{Name: "x-kde-cal", Trainer: judge.KDE{Calibrate: true}},
		{Name: "x-multi-literal", Trainer: judge.Multinomial{Literal: true}},
		{Name: "x-multi-2000", Trainer: judge.Multinomial{Features: judge.Features{Terms: 2000}}},
	}
}
