package strategytest_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"testing"

	"dowse"
	"dowse/strategy"
	"dowse/strategy/strategytest"
)

// TestAroundDropsNothing reads which optional interfaces a strategy may have from
// the source of package dowse, so that a new one can't be forgotten here.
func TestAroundDropsNothing(t *testing.T) {
	listen := func(invoke func() []dowse.Lead) []dowse.Lead { return invoke() }
	wrapped := strategytest.Around(named(t, "online"), listen) // a saver
	for name, methods := range abilities(t) {
		for _, m := range methods {
			if !reflect.ValueOf(wrapped).MethodByName(m).IsValid() {
				t.Errorf("Around drops %s: it has no method %s", name, m)
			}
		}
	}
	if _, saves := strategytest.Around(&strategy.BreadthFirst{}, listen).(dowse.Saver); saves != isSaver(&strategy.BreadthFirst{}) {
		t.Errorf("Around(BreadthFirst) saves: %t", saves)
	}
	inner := named(t, "otie:round=7,replay=true")
	if got, want := dowse.TraitsOf(strategytest.Around(inner, listen)), dowse.TraitsOf(inner); got != want {
		t.Errorf("traits %+v, want %+v", got, want)
	}
}

func isSaver(s dowse.Strategy) bool {
	_, ok := s.(dowse.Saver)
	return ok
}

// abilities returns the methods of the interfaces of package dowse that are
// implemented by strategies.
func abilities(t *testing.T) map[string][]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../../dowse.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	others := map[string]bool{"Judge": true, "WindowJudge": true, "View": true}
	list := map[string][]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok || others[spec.Name.Name] {
			return true
		}
		if i, ok := spec.Type.(*ast.InterfaceType); ok {
			for _, m := range i.Methods.List {
				list[spec.Name.Name] = append(list[spec.Name.Name], m.Names[0].Name)
			}
		}
		return true
	})
	if len(list["Strategy"]) == 0 || len(list) < 5 {
		t.Fatalf("found only %v", list)
	}
	return list
}

// named returns a strategy of the list.
func named(t *testing.T, spec string) dowse.Strategy {
	t.Helper()
	s, err := strategy.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
