package settings

import (
	"math"
	"reflect"
	"strconv"
	"strings"
)

// A Kind is how the value of a setting is written as a text.
type Kind string

// The kinds of settings. Those without a name of their own follow from the type of the field.
const (
	textKind    Kind = "text"    // one line
	listKind    Kind = "list"    // several of them
	flagKind    Kind = "flag"    // true or false
	numberKind  Kind = "number"  // 17
	Count       Kind = "count"   // 500
	Time        Kind = "time"    // 1m30s
	Size        Kind = "size"    // 5GB
	Rate        Kind = "rate"    // 20/s
	Share       Kind = "share"   // 0.1
	Until       Kind = "until"   // harvest<0.05 over 500
	Often       Kind = "often"   // 7d, auto, changes or none
	patternKind Kind = "pattern" // regular expressions
	netKind     Kind = "net"     // networks or addresses
	sinkKind    Kind = "sink"    // where pages are sent
)

// When is when the value of a setting can change.
type When string

// The moments at which a value can change.
const (
	AtCreation When = "create" // a crawl keeps the value that it was created with
	atResume   When = "resume" // the value holds from the next run on
	Again      When = "again"  // at a resume, and all that was decided is decided again
)

// A Field is one row of the table of settings.
type Field struct {
	Key         string // in crawl.yaml, with its section: limits.pages; "" if the file does not keep it
	Flag        string // of the command line, without dashes; "" for none
	Var         string // environment variable; "" for none
	Group       string // of flags
	Help        string // one sentence
	Placeholder string // of the value, in the help
	Default     string // as a text; "" for none
	Rare        bool   // only the full help lists it
	Config      string // which config files may set it: any, own, new, begin, or "" for none
	Kind        Kind
	When        When
	Choices     []string // the values of a text that has a fixed set of them

	adds  bool // values that are given later are added
	tag   reflect.StructTag
	index []int
}

var fields = walk(reflect.TypeFor[Settings](), "", nil)

// Fields returns the table of settings, in the order in which flags are listed.
func Fields() []Field { return fields }

// ByFlag returns the setting of a flag.
func ByFlag(name string) (Field, bool) {
	for _, f := range fields {
		if f.Flag == name && name != "" {
			return f, true
		}
	}
	return Field{}, false
}

// walk lists the settings of a struct whose keys are in a section of crawl.yaml.
func walk(t reflect.Type, section string, index []int) (list []Field) {
	for i := range t.NumField() {
		sf := t.Field(i)
		at := append(index[:len(index):len(index)], i)
		key, _, _ := strings.Cut(sf.Tag.Get("yaml"), ",")
		if sf.Anonymous {
			if key != "" {
				key += "."
			}
			list = append(list, walk(sf.Type, section+key, at)...)
			continue
		}
		list = append(list, fieldOf(sf, section+key, at))
	}
	return list
}

// fieldOf makes a row of the table from the tags of a struct field.
func fieldOf(sf reflect.StructField, key string, index []int) Field {
	t := sf.Tag
	f := Field{
		Key: key, Flag: t.Get("name"), Var: t.Get("var"), Group: t.Get("group"), Help: t.Get("help"), Placeholder: t.Get("placeholder"),
		Default: t.Get("shown"), Config: t.Get("config"), When: When(t.Get("when")), Kind: kindOf(sf), adds: t.Get("merge") == "add", tag: t, index: index,
	}
	_, f.Rare = t.Lookup("rare")
	if strings.HasSuffix(key, "-") {
		f.Key = ""
	}
	if f.Kind == Until {
		f.Key = key + "until"
	}
	if e := t.Get("enum"); e != "" {
		f.Choices = strings.Split(strings.Trim(e, ","), ",")
	}
	return f
}

// kindOf returns the kind that a field names, or else that of its Go type.
func kindOf(sf reflect.StructField) Kind {
	if k := sf.Tag.Get("type"); k != "" {
		return Kind(k)
	}
	switch sf.Type.Kind() {
	case reflect.Slice:
		return listKind
	case reflect.Bool:
		return flagKind
	case reflect.Uint64:
		return numberKind
	}
	return textKind
}

// Name returns what the setting is called where its flag is not meant: its key without the
// section, or its flag.
func (f Field) Name() string {
	if f.Key == "" {
		return f.Flag
	}
	return f.Key[strings.LastIndexByte(f.Key, '.')+1:]
}

// value returns the struct field of a setting, which can be set.
func (f Field) value(s *Settings) reflect.Value {
	return reflect.ValueOf(s).Elem().FieldByIndex(f.index)
}

// Given reports whether settings have a value for the field.
func (f Field) Given(s *Settings) bool {
	v := f.value(s)
	return !v.IsZero() && !(v.Kind() == reflect.Slice && v.Len() == 0)
}

// Same reports whether two settings have the same value for the field.
func (f Field) Same(a, b *Settings) bool {
	return !f.Given(a) && !f.Given(b) || reflect.DeepEqual(f.value(a).Interface(), f.value(b).Interface())
}

// Resolved returns the settings with a default for everything that was not given, and without
// values that mean others: a Delay of 0 is none, a Hold of 0 never waits.
func (s Settings) Resolved() Settings {
	for _, f := range fields {
		resolve(f, f.value(&s))
	}
	return s
}

// Resolved returns the politeness as [Settings.Resolved] does.
func (p Politeness) Resolved() Politeness { return Settings{Politeness: p}.Resolved().Politeness }

// resolve replaces a value that was not given by the default, and one that means zero by zero.
// For a limit 0 means no limit, so -1 has to stay.
func resolve(f Field, v reflect.Value) {
	if v.IsZero() && f.Default != "" {
		if x, err := f.Read(f.Default); err == nil {
			v.Set(reflect.ValueOf(x))
		}
	}
	if f.tag.Get("zero") == "" || f.tag.Get("none") == "0" {
		return
	}
	switch {
	case v.CanInt() && v.Int() < 0:
		v.SetInt(0)
	case v.CanFloat() && v.Float() < 0:
		v.SetFloat(0)
	}
}

// A Change is a setting that has another value than before. The values are texts.
type Change struct {
	Field
	Before, After string
}

// Looser reports whether a limit is a higher one than before, or none.
func (c Change) Looser() bool {
	number := func(text string) float64 {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil { // unset, or none
			return math.Inf(1)
		}
		return x
	}
	return number(c.After) > number(c.Before)
}

// Merge returns the kept settings with the given values in their place, and what that changes.
// The settings whose flags are in reset return to their defaults. In lists to which given values
// are added, an empty text drops the values before it.
func Merge(kept, given Settings, reset []string) (Settings, []Change) {
	var changes []Change
	for _, f := range fields {
		before := f.shown(kept)
		to, from := f.value(&kept), f.value(&given)
		if f.isIn(reset) {
			to.SetZero()
		}
		switch {
		case f.adds:
			to.Set(reflect.ValueOf(union(to.Interface().([]string), from.Interface().([]string))))
		case f.Given(&given):
			to.Set(from)
		}
		if after := f.shown(kept); after != before {
			changes = append(changes, Change{f, before, after})
		}
	}
	return kept, changes
}

// Changes returns the settings that differ, in the order of the table.
func Changes(before, after Settings) (list []Change) {
	for _, f := range fields {
		if was, is := f.shown(before), f.shown(after); was != is {
			list = append(list, Change{f, was, is})
		}
	}
	return list
}

// shown returns the value that holds, as a text; "unset" if there is none.
func (f Field) shown(s Settings) string {
	if text := f.Text(&s); text != "" {
		return text
	}
	if f.Default != "" {
		return f.Default
	}
	return "unset"
}

// Changeable returns the settings without those that can only be set when a crawl is created.
func (s Settings) Changeable() Settings {
	for _, f := range fields {
		if f.When == AtCreation {
			f.value(&s).SetZero()
		}
	}
	return s
}

// Copy gives one of the settings the value that others have for the field.
func (f Field) Copy(to, from *Settings) { f.value(to).Set(f.value(from)) }

// Put gives one of the settings a value, as [Field.Read] returns it.
func (f Field) Put(to *Settings, x any) { f.value(to).Set(reflect.ValueOf(x)) }

func (f Field) isIn(flags []string) bool {
	for _, name := range flags {
		if f.Flag == name && name != "" {
			return true
		}
	}
	return false
}

// union returns a list with the further entries that are not in it.
func union(list, more []string) []string {
	out := append([]string(nil), list...)
	seen := map[string]bool{}
	for _, s := range list {
		seen[s] = true
	}
	for _, s := range more {
		switch {
		case s == "":
			out, seen = nil, map[string]bool{}
		case !seen[s]:
			out, seen[s] = append(out, s), true
		}
	}
	return out
}
