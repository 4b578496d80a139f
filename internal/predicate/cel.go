package predicate

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"cel.dev/cel-go/cel"
	celast "cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"dowse/internal/facts"
	"dowse/internal/plain"
	"dowse/internal/text"
)

// celClause makes a node from an expression in CEL. CEL is for what clauses can't
// state: arithmetic, comparing two facts with each other, and conditions on each
// entry of a list. The language has no loops without end, no assignments and no
// access to anything but the page.
func (b *builder) celClause(v any, at place) node {
	s, ok := v.(string)
	if !ok || strings.TrimSpace(s) == "" {
		b.fail(at, "write an expression such as 'page.links_out < 400'", "expr: %s is not an expression", kindOf(v))
		return nothing
	}
	program, err := b.cel.compile(s, b.read)
	if err != nil {
		b.fail(at, celHint(s, err), "expr: %v", err)
		return nothing
	}
	return leaf{"expr: " + short(s), celTest{program}}
}

// undefinedField matches the error for a field that page or page.parent does not have.
var undefinedField = regexp.MustCompile(`undefined field '(\w+)'`)

// celHint returns what to do about an error in an expression, which may be one of conditions by name by mistake.
func celHint(s string, err error) string {
	const read = "see docs/predicates.md"
	for _, name := range opNames() {
		if regexp.MustCompile(`\b` + name + `\b\s*\(`).MatchString(s) {
			return fmt.Sprintf("%s(…) is no part of an expression about page; write {all: [%s(…), {expr: …}]}", name, name)
		}
	}
	m := undefinedField.FindStringSubmatch(err.Error())
	if m == nil {
		return read
	}
	if near := text.Nearest(m[1], factNames()); near != "" {
		return fmt.Sprintf("did you mean page.%s? All facts are in docs/predicates.md", near)
	}
	return read
}

// A celEnv compiles expressions. The zero value is ready; the environment costs
// about a millisecond, so it is created for the first expression.
type celEnv struct{ env *cel.Env }

// The bounds of expressions in CEL in addition to [MaxCost] and [MaxExpr].
const (
	celDepth   = 32  // nesting of operators and calls
	celNesting = 2   // nesting of loops (all, exists)
	celProgram = 500 // instructions of a regular expression
)

// open creates the environment: one variable, page, whose fields are the facts.
// Macros that create lists are left out, since nested lists grow without doing
// any counted work.
func (e *celEnv) open() (err error) {
	if e.env != nil {
		return nil
	}
	registry, err := types.NewRegistry()
	if err != nil {
		return err
	}
	e.env, err = cel.NewEnv(
		cel.CustomTypeAdapter(registry), cel.CustomTypeProvider(&pageTypes{registry}),
		cel.Variable("page", types.NewObjectType(pageType)),
		cel.ClearMacros(), cel.Macros(cel.HasMacro, cel.AllMacro, cel.ExistsMacro, cel.ExistsOneMacro),
		cel.ParserExpressionSizeLimit(MaxExpr), cel.ParserRecursionLimit(celDepth),
		cel.ASTValidators(cel.ValidateComprehensionNestingLimit(celNesting), cel.ValidateRegexLiterals(),
			cel.ValidateRegexProgramSizeLimit(celProgram), cel.ValidateTimestampLiterals(), cel.ValidateDurationLiterals()),
	)
	return err
}

// compile compiles an expression and calls read for every fact that it uses.
func (e *celEnv) compile(s string, read func(name string)) (cel.Program, error) {
	if err := e.open(); err != nil {
		return nil, err
	}
	tree, issues := e.env.Compile(s)
	if err := issues.Err(); err != nil {
		return nil, celProblem(issues)
	}
	if tree.OutputType() != cel.BoolType {
		return nil, fmt.Errorf("is %s, not true or false: compare it with something", tree.OutputType())
	}
	if err := celCheck(tree.NativeRep(), read); err != nil {
		return nil, err
	}
	return e.env.Program(tree, cel.EvalOptions(cel.OptOptimize), cel.CostLimit(MaxCost))
}

// celProblem returns the first of the issues with its column.
func celProblem(issues *cel.Issues) error {
	first := issues.Errors()[0]
	message, _, _ := strings.Cut(first.Message, "\n")
	switch at := first.Location; {
	case at.Line() > 1:
		return fmt.Errorf("line %d, column %d: %s", at.Line(), at.Column()+1, message)
	case at.Line() == 1:
		return fmt.Errorf("column %d: %s", at.Column()+1, message)
	}
	return errors.New(message)
}

// celCheck records the facts that an expression uses and refuses patterns that
// are not literals: a page must not be able to supply its own.
func celCheck(tree *celast.AST, read func(name string)) (err error) {
	celast.PostOrderVisit(tree.Expr(), celast.NewExprVisitor(func(e celast.Expr) {
		switch e.Kind() {
		case celast.SelectKind:
			if name, ok := celFact(e); ok {
				read(name)
			}
		case celast.CallKind:
			call := e.AsCall()
			if args := call.Args(); call.FunctionName() == "matches" && args[len(args)-1].Kind() != celast.LiteralKind {
				err = errors.New("the pattern of matches must be written out, in quotes")
			}
		}
	}))
	return err
}

// celFact returns the fact that a selection names: page.title, page.parent.host.
// A selection of anything else, such as a field of a variable of a loop, names
// none.
func celFact(e celast.Expr) (string, bool) {
	s := e.AsSelect()
	switch operand := s.Operand(); operand.Kind() {
	case celast.IdentKind:
		return s.FieldName(), operand.AsIdent() == "page" && s.FieldName() != "parent"
	case celast.SelectKind:
		in := operand.AsSelect()
		return "parent." + s.FieldName(), in.FieldName() == "parent" && in.Operand().Kind() == celast.IdentKind
	}
	return "", false
}

// A celTest evaluates an expression. The outcome is unknown if a fact is
// missing or the cost limit is reached.
type celTest struct{ program cel.Program }

// find evaluates the expression on the page. Only an expression that ends with
// true or false has an outcome: an error, whatever its cause, is unknown, so a page
// can neither pass nor be rejected because an expression failed on it.
func (t celTest) find(r *reading) (verdict, string) {
	out, _, err := t.program.Eval(map[string]any{"page": &celPage{r: r, typ: pageType}})
	if err != nil {
		return unknown, short(celCause(err))
	}
	return of(out == types.True), ""
}

// celCause returns the cause of a failed evaluation in the words of this package.
// CEL wraps the errors of fields, and reports its cost limit only as a text.
func celCause(err error) string {
	var m missingFact
	switch {
	case errors.As(err, &m):
		return m.Error()
	case strings.Contains(err.Error(), "cost limit"):
		return fmt.Sprintf("stopped at the cost limit of %d", MaxCost)
	}
	return err.Error()
}

// missingFact is the error of reading a fact that is not known.
type missingFact string

// Error adds a hint for facts that can be known in a crawl only: for them the
// page is not to blame.
func (m missingFact) Error() string {
	if f := facts.Named(string(m)); f != nil && f.InCrawl && f.Type == facts.Integer {
		return string(m) + " is not known: only a crawl counts it"
	}
	return string(m) + " is not known"
}

// The names of the types that expressions see.
const (
	pageType   = "dowse.Page"
	parentType = "dowse.Parent"
)

// pageTypes describes the facts and their types to the compiler. So a mistake in a
// name or a comparison of a text with a number is reported when the topic is read,
// and not for each page of a crawl.
type pageTypes struct{ *types.Registry }

// FindStructType knows the types of page and parent.
func (p *pageTypes) FindStructType(name string) (*types.Type, bool) {
	if name == pageType || name == parentType {
		return types.NewTypeTypeWithParam(types.NewObjectType(name)), true
	}
	return p.Registry.FindStructType(name)
}

// FindStructFieldNames lists the fields of the two types.
func (p *pageTypes) FindStructFieldNames(name string) (names []string, ok bool) {
	if name != pageType && name != parentType {
		return p.Registry.FindStructFieldNames(name)
	}
	for _, f := range factNames() {
		if field, ok := celField(name, f); ok {
			names = append(names, field)
		}
	}
	return names, true
}

// celField returns the name of a fact as a field of a type.
func celField(typ, fact string) (string, bool) {
	field, ofParent := strings.CutPrefix(fact, "parent.")
	return field, ofParent == (typ == parentType)
}

// FindStructFieldType returns the type of a fact, and how it is read.
func (p *pageTypes) FindStructFieldType(typ, field string) (*types.FieldType, bool) {
	switch {
	case typ == pageType && field == "parent":
		return &types.FieldType{
			Type:  types.NewObjectType(parentType),
			IsSet: func(target any) bool { return target.(*celPage).r.row.ParentScore != nil },
			GetFrom: func(target any) (any, error) {
				return &celPage{r: target.(*celPage).r, typ: parentType}, nil
			},
		}, true
	case typ == parentType:
		field = "parent." + field
	case typ != pageType:
		return p.Registry.FindStructFieldType(typ, field)
	}
	if row := facts.Named(field); row != nil && row.Asked {
		return newFact(row).celType(), true
	}
	return nil, false
}

// celType returns a fact as a field of CEL.
func (f *fact) celType() *types.FieldType {
	typ := map[kind]*types.Type{
		oneText: types.StringType, listed: types.NewListType(types.StringType),
		table: types.NewMapType(types.StringType, types.StringType),
		whole: types.IntType, decimal: types.DoubleType, date: types.TimestampType,
	}[f.kind]
	return &types.FieldType{
		Type: typ,
		IsSet: func(target any) bool {
			_, known := f.celValue(target.(*celPage).r)
			return known
		},
		GetFrom: func(target any) (any, error) {
			v, known := f.celValue(target.(*celPage).r)
			if !known {
				return nil, missingFact(f.name)
			}
			return v, nil
		},
	}
}

// celValue returns the value of a fact; texts are cut as they are for patterns.
func (f *fact) celValue(r *reading) (v any, known bool) {
	switch f.kind {
	case whole:
		n, known := f.number(r)
		return int64(n), known
	case decimal:
		return f.number(r)
	case date:
		return f.date(r)
	case table:
		m := map[string]string{}
		for _, p := range f.pairs(r) {
			if _, ok := m[p.Name]; !ok {
				m[p.Name] = p.Content
			}
		}
		return m, true
	}
	values, known := f.values(r)
	if f.kind == listed {
		return values, known
	}
	if !known {
		return "", false
	}
	return plain.Cut(values[0], MaxText), true
}

// A celPage is the page, or what is known of its parent, as a value of CEL. Its
// fields are computed when an expression reads them, so an expression about the
// title does not cost the detection of the language.
type celPage struct {
	r   *reading
	typ string
}

// CEL requires that all values implement ref.Val. Only Value is needed for reading
// fields; the other methods keep expressions such as page == page from failing.
var _ ref.Val = (*celPage)(nil)

// ConvertToNative refuses: expressions return true or false.
func (p *celPage) ConvertToNative(reflect.Type) (any, error) {
	return nil, fmt.Errorf("%s is no value", p.typ)
}

// ConvertToType supports the type itself only.
func (p *celPage) ConvertToType(t ref.Type) ref.Val {
	if t == types.TypeType {
		return types.NewObjectType(p.typ)
	}
	return types.NewErr("%s is no %s", p.typ, t.TypeName())
}

// Equal reports whether other is the same page, or what is known of the same
// parent. A value is made anew for each selection of the parent, so pointers
// are not compared.
func (p *celPage) Equal(other ref.Val) ref.Val {
	o, ok := other.(*celPage)
	return types.Bool(ok && *o == *p)
}

// Type returns the type that the compiler knows.
func (p *celPage) Type() ref.Type { return types.NewObjectType(p.typ) }

// Value returns the page itself, for reading its fields.
func (p *celPage) Value() any { return p }
