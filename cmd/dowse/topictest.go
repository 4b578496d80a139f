package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"dowse"
	"dowse/collection"
	"dowse/internal/durable"
	"dowse/internal/facts"
	reports "dowse/internal/lab/report"
	"dowse/judge"
	"dowse/topic"
)

// topicTestCmd measures the judge of a topic by cross-validation and compares it with all
// other kinds of judges, trained on the same examples. It answers two questions: how far
// can this judge be trusted, and would another kind be better?
//
//	judge        precision   recall       F1       AP    Brier      ECE    wrong
//	topic            0.923    0.857    0.889    0.951   0.0712   0.0431        6
//	svm              0.931    0.871    0.900    0.957   0.0688   0.0502        5
//
// Below the table come the calibration, which shows whether a relevance of 0.8 is right
// in 80 % of the cases, and the examples that were judged wrong, with the reasons that
// misled the judge. --min makes it a gate for builds.
type topicTestCmd struct {
	Topic string `arg:"" name:"file|dir" help:"Topic file with examples, or a collection with labels."`
	Folds int    `default:"5" placeholder:"N" help:"Number of folds of the cross-validation."`
	JSON  bool   `help:"Print JSON."`
	// What is done with the results besides printing them.
	SVG   string   `placeholder:"FILE" help:"Draw calibration, and precision against recall."`
	Min   []string `sep:"," placeholder:"M=X" help:"Exit with 8 if f1, precision, recall or ap is below X."`
	Save  []string `sep:"none" placeholder:"KIND=FILE" help:"Train this kind of judge too and write it; repeatable."`
	Wrong int      `default:"10" placeholder:"N" help:"Wrongly judged pages to show."`
	askFlags
}

func (topicTestCmd) Help() string {
	return `Examples:
  dowse topic test reefs.topic.yaml
  dowse topic test reefs.dowse                its examples and your labels
  dowse topic test reefs.dowse --svg reefs.svg
  dowse topic test reefs.topic.yaml --min f1=0.8,recall=0.7
  dowse topic test reefs.topic.yaml --save svm=reefs-svm.json

Cross-validation: the examples are cut into folds, and each is rated by judges
that were trained without its fold. The pages of a site stay together where the
sites are enough, since pages of one site look alike. The topic's own judge
(words, examples, where) is compared with every kind of judge on the same folds.
Brier is the mean squared error, ECE the mean calibration error; for
both, less is better. Outside judges are not asked.`
}

// Run prints the results and, if asked, draws them, writes trained judges, and fails with
// 8 if a measure is below --min. Flags are checked first, since gathering examples may
// fetch pages and take long; the check of --min comes last, so that its failure does not
// cost the results.
func (c *topicTestCmd) Run(w *world) error {
	floors, err := floorsOf(c.Min)
	if err != nil {
		return err
	}
	if _, err := savingsOf(c.Save, ""); err != nil {
		return err
	}
	if c.Folds < 2 {
		return usage("--folds %d: at least two are needed", c.Folds)
	}
	t, trial, notes, err := c.trial(w)
	if err != nil {
		return err
	}
	s := &trialSheet{Trial: trial, name: t.Name, speller: t.Speller(), threshold: t.OnTopic(), notes: notes, wrong: c.Wrong}
	if c.SVG != "" {
		if err := durable.WriteFile(c.SVG, s.svg()); err != nil {
			return usage("topic: %w", err)
		}
		fmt.Fprintf(w.err, "wrote %s\n", c.SVG)
	}
	if err := s.print(w.out, c.JSON); err != nil {
		return err
	}
	// The judges that are written are trained on all examples, not on folds: what is used
	// should know everything.
	savings, err := savingsOf(c.Save, t.Language())
	if err != nil {
		return err
	}
	if err := saveAll(w, savings, trial.Examples); err != nil {
		return err
	}
	return floors.check(trial.Judges[0].Quality)
}

// trial gathers examples and labels and tests the topic with them. For a collection the
// labels of people count as examples. It also returns notes on missing pages: an example
// that could not be read is missing from the figures too.
func (c *topicTestCmd) trial(w *world) (t *topic.Topic, trial *topic.Trial, notes []string, err error) {
	cfg, end, err := c.ask(w)
	if err != nil {
		return nil, nil, nil, err
	}
	defer end()
	t, _, m, err := material(w, c.Topic, cfg)
	if err != nil {
		return nil, nil, nil, err
	}
	if collection.IsCollection(c.Topic) {
		missing, err := addLabels(w.ctx, c.Topic, m)
		if err != nil {
			return nil, nil, nil, err
		}
		m.Notes = append(m.Notes, missing...)
	}
	if trial, err = t.Test(m, c.Folds); err != nil {
		return nil, nil, nil, &exitError{exitUsage, err}
	}
	if trial.Note != "" {
		m.Notes = append(m.Notes, trial.Note)
	}
	return t, trial, m.Notes, nil
}

// A floor is the least value that a measure may have, from --min.
type floor struct {
	name  string
	least float64
}

// floors are all values of --min.
type floors []floor

// floorMeasures are the measures that --min can name.
var floorMeasures = map[string]func(judge.Quality) float64{
	"f1":        func(q judge.Quality) float64 { return q.F1 },
	"precision": func(q judge.Quality) float64 { return q.Precision },
	"recall":    func(q judge.Quality) float64 { return q.Recall },
	"ap":        func(q judge.Quality) float64 { return q.AveragePrecision },
}

// floorsOf parses the values of --min.
func floorsOf(list []string) (fs floors, err error) {
	for _, s := range list {
		name, value, _ := strings.Cut(s, "=")
		least, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		name = strings.ToLower(strings.TrimSpace(name))
		if floorMeasures[name] == nil || err != nil || !(least >= 0 && least <= 1) {
			return nil, usage("--min %q: want f1, precision, recall or ap and a number from 0 to 1, as f1=0.8", s)
		}
		fs = append(fs, floor{name, least})
	}
	return fs, nil
}

// check returns an error with exit code 8 if a measure is below its floor.
func (fs floors) check(q judge.Quality) error {
	var below []string
	for _, f := range fs {
		if got := floorMeasures[f.name](q); got < f.least {
			below = append(below, fmt.Sprintf("%s is %.3f, below %g", f.name, got, f.least))
		}
	}
	if len(below) > 0 {
		return &exitError{exitAssertion, errors.New(strings.Join(below, "; "))}
	}
	return nil
}

// A trialSheet prints the results of a cross-validation as text, JSON or SVG. The first
// judge of the trial is the topic's own.
type trialSheet struct {
	*topic.Trial
	name      string
	speller   *topic.Speller
	threshold float64
	notes     []string
	wrong     int // pages to show of those that are judged wrong
}

// A trialJSON is the output of topic test --json.
type trialJSON struct {
	Topic     string           `json:"topic"`
	Threshold float64          `json:"threshold"`
	On        int              `json:"on"`
	Off       int              `json:"off"`
	StandIns  int              `json:"stand_ins"` // of off
	Folds     int              `json:"folds"`
	BySite    bool             `json:"by_site"`
	Judges    []trialJudge     `json:"judges"`
	Wrong     []trialWrongPage `json:"wrong"` // by the topic's own judge
	Notes     []string         `json:"notes"`
}

// A trialJudge is the quality of one judge.
type trialJudge struct {
	Judge       string     `json:"judge"`
	Precision   float64    `json:"precision"`
	Recall      float64    `json:"recall"`
	F1          float64    `json:"f1"`
	AP          float64    `json:"average_precision"`
	Brier       float64    `json:"brier"`
	ECE         float64    `json:"ece"`
	Reliability []trialBin `json:"reliability"`
}

// A trialBin is one interval of a calibration: mean relevance, and the share that is on
// topic.
type trialBin struct {
	From      float64 `json:"from"`
	To        float64 `json:"to"`
	Examples  int     `json:"examples"`
	Relevance float64 `json:"relevance"`
	Relevant  float64 `json:"relevant"`
}

// A trialWrongPage is an example that the topic's own judge got wrong, with the reasons
// that misled it.
type trialWrongPage struct {
	URL       string        `json:"url,omitempty"`
	Title     string        `json:"title,omitempty"`
	Relevance float64       `json:"relevance"`
	Truth     string        `json:"truth"`
	Because   []facts.Cause `json:"because"`
}

// print prints the results as text or JSON.
func (s *trialSheet) print(out io.Writer, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(out).Encode(s.json())
	}
	n := columnsOf(out)
	for _, l := range s.lines(n) {
		if _, err := fmt.Fprintln(out, strings.TrimRight(clip(oneLine(l), n, n), " ")); err != nil {
			return err
		}
	}
	return nil
}

// json returns the results for JSON.
func (s *trialSheet) json() trialJSON {
	own := s.Judges[0]
	j := trialJSON{
		Topic: s.name, Threshold: s.threshold, On: own.Relevant, Off: own.Examples - own.Relevant, StandIns: s.Substitutes,
		Folds: s.Folds, BySite: s.BySite, Wrong: []trialWrongPage{}, Notes: append([]string{}, s.notes...),
	}
	for _, v := range s.Judges {
		row := trialJudge{v.Name, v.Precision, v.Recall, v.F1, v.AveragePrecision, v.Brier, v.ECE, nil}
		for _, b := range v.Reliability {
			row.Reliability = append(row.Reliability, trialBin(b))
		}
		j.Judges = append(j.Judges, row)
	}
	for _, i := range own.Wrong {
		e := s.Examples[i]
		page := trialWrongPage{Relevance: own.Ratings[i].Relevance, Truth: labelWord(e.Relevant)}
		page.URL, page.Title = s.named(i)
		page.Because = becauseOf(strongestFor(own.Verdicts[i], !e.Relevant, 5), s.spelling(i))
		j.Wrong = append(j.Wrong, page)
	}
	return j
}

// labelWord returns the label for a page that is on topic or not.
func labelWord(on bool) string {
	if on {
		return collection.LabelOn
	}
	return collection.LabelOff
}

// named returns the URL and title of an example; one without both is named by the
// beginning of its text.
func (s *trialSheet) named(i int) (url, title string) {
	e := s.Examples[i]
	if e.Page == nil {
		return "", fit(e.Text, 60)
	}
	if e.Page.URL == "" && e.Page.Title == "" {
		return "", fit(e.Page.Text, 60)
	}
	return string(e.Page.URL), e.Page.Title
}

// spelling finds the words behind the stems in the reasons for an example.
func (s *trialSheet) spelling(i int) topic.Spelling {
	e := s.Examples[i]
	if e.Page == nil {
		e.Page = &dowse.Page{Document: dowse.Document{Text: e.Text}}
	}
	return s.speller.SpellOf(s.Judges[0].Verdicts[i], e.Page)
}

// strongestFor returns at most n reasons for one side, the strongest first. For a page
// that was judged wrong these are the reasons that misled the judge. The bias and
// summed-up reasons are left out, since they name nothing on the page.
func strongestFor(v dowse.Verdict, on bool, n int) (list []dowse.Because) {
	for _, b := range v.Because {
		if b.What != "bias" && !judge.SummedUp(b) && b.Weight != 0 && (b.Weight > 0) == on {
			list = append(list, b)
		}
	}
	return list[:min(n, len(list))]
}

// lines returns the results as text.
func (s *trialSheet) lines(terminal int) []string {
	own := s.Judges[0]
	lines := []string{fmt.Sprintf("%s  %s on topic, %s not%s", s.name, some(own.Relevant, "example"), count(own.Examples-own.Relevant), s.dealt())}
	for _, n := range s.notes {
		for i, l := range wrap(oneLine(n), columns80-8) {
			lines = append(lines, fmt.Sprintf(" %-6s %s", head(i, "note"), l))
		}
	}
	if s.Substitutes > 0 {
		lines = append(lines, fmt.Sprintf(" note   %d of the negative examples stand in for missing ones; add unlike:", s.Substitutes))
	}
	lines = append(lines, "", " judge        precision   recall       F1       AP    Brier      ECE    wrong")
	for _, v := range s.Judges {
		lines = append(lines, fmt.Sprintf(" %-12s %9.3f %8.3f %8.3f %8.3f %8.4f %8.4f %8d",
			v.Name, v.Precision, v.Recall, v.F1, v.AveragePrecision, v.Brier, v.ECE, len(v.Wrong)))
	}
	return append(append(lines, s.calibration()...), s.mistakes(terminal)...)
}

// dealt states how the examples were divided into folds.
func (s *trialSheet) dealt() string {
	text := fmt.Sprintf("; %d folds", s.Folds)
	if s.BySite {
		return text + ", sites kept together"
	}
	return text + ", too few sites to keep together"
}

// calibration returns, by intervals of relevance, how often pages are on topic. A judge
// is well calibrated if the two columns agree: of the pages that it rates 0.8, 80 % are
// on topic. Thresholds and expected harvests make sense only then.
func (s *trialSheet) calibration() []string {
	lines := []string{"", " calibration of " + topic.OwnJudge, "  it says       pages   mean   on topic"}
	for _, b := range s.Judges[0].Reliability {
		lines = append(lines, fmt.Sprintf("  %.1f to %.1f  %7d   %.2f       %.2f  %s", b.From, b.To, b.Examples, b.Relevance, b.Relevant, strings.Repeat("▪", int(b.Relevant*20+0.5))))
	}
	return lines
}

// mistakes lists the examples that the topic's own judge gets wrong, with the reasons
// that misled it.
func (s *trialSheet) mistakes(terminal int) []string {
	own := s.Judges[0]
	if len(own.Wrong) == 0 {
		return []string{"", fmt.Sprintf(" all of them right, at the threshold %.2f", s.threshold)}
	}
	lines := []string{"", fmt.Sprintf(" wrong: %d of %d, at the threshold %.2f", len(own.Wrong), own.Examples, s.threshold)}
	for _, i := range own.Wrong[:min(len(own.Wrong), s.wrong)] {
		e := s.Examples[i]
		url, title := s.named(i)
		lines = append(lines, fmt.Sprintf("  %.2f, but %-3s %s  %s", own.Ratings[i].Relevance, labelWord(e.Relevant), clip(title, 30, terminal), bareName(url)))
		var signs []string
		for _, b := range s.spelling(i).Names(strongestFor(own.Verdicts[i], !e.Relevant, 4)) {
			signs = append(signs, fmt.Sprintf("%+.2f %s", b.Weight, clip(b.What, 30, terminal)))
		}
		if len(signs) > 0 {
			lines = append(lines, "       "+strings.Join(signs, "  "))
		}
	}
	if more := len(own.Wrong) - s.wrong; more > 0 {
		lines = append(lines, fmt.Sprintf("  and %d more: --wrong %d", more, len(own.Wrong)))
	}
	return lines
}

// bareName returns a URL without its scheme.
func bareName(url string) string {
	return strings.TrimPrefix(strings.TrimPrefix(url, "https://"), "http://")
}

// svg draws the calibration of the topic's own judge and the two best others, and
// precision against recall of all judges. A curve of calibration per judge would be
// unreadable, hence the three.
func (s *trialSheet) svg() []byte {
	nothing := func(float64) string { return "" }
	says := reports.Plot{
		Title: "Calibration: what it says, and what is so", X: "relevance as judged", Y: "share that is on topic", Top: 1, Width: 560, Format: nothing,
		Lines: []reports.Line{{Name: "perfect", Bound: true, Points: []reports.Point{{}, {X: 1, Y: 1, Lo: 1, Hi: 1}}}},
	}
	trade := reports.Plot{Title: "Precision against recall", X: "recall", Y: "precision", Top: 1, Width: 640, Format: nothing}
	best := s.best(3)
	for style, v := range s.Judges {
		if slices.Contains(best, v.Name) {
			says.Lines = append(says.Lines, reports.Line{Name: fmt.Sprintf("%s, ECE %.3f", v.Name, v.ECE), Style: style, Points: binPoints(v.Reliability)})
		}
		trade.Lines = append(trade.Lines, reports.Line{Name: fmt.Sprintf("%s, AP %.3f", v.Name, v.AveragePrecision), Style: style, Points: tradePoints(v.Ratings)})
	}
	own := s.Judges[0]
	return reports.Sheet(fmt.Sprintf("%s: %d examples on topic, %d not, %d folds", s.name, own.Relevant, own.Examples-own.Relevant, s.Folds), says, trade)
}

// best returns the names of the topic's own judge and of the n-1 others with the highest
// F1.
func (s *trialSheet) best(n int) []string {
	others := slices.Clone(s.Judges[1:])
	slices.SortStableFunc(others, func(a, b judge.Validation) int {
		switch {
		case a.F1 > b.F1:
			return -1
		case a.F1 < b.F1:
			return 1
		}
		return 0
	})
	names := []string{s.Judges[0].Name}
	for _, v := range others[:min(n-1, len(others))] {
		names = append(names, v.Name)
	}
	return names
}

// binPoints returns a calibration as points of a plot.
func binPoints(bins []judge.Bin) (points []reports.Point) {
	for _, b := range bins {
		points = append(points, reports.Point{X: b.Relevance, Y: b.Relevant, Lo: b.Relevant, Hi: b.Relevant})
	}
	return points
}

// tradePoints returns precision against recall as points of a plot.
func tradePoints(ratings []judge.Rating) (points []reports.Point) {
	for _, t := range judge.Trades(ratings) {
		points = append(points, reports.Point{X: t.Recall, Y: t.Precision, Lo: t.Precision, Hi: t.Precision})
	}
	return points
}
