package strategy

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"dowse"
)

// A Param describes a parameter of a strategy, from the tags of its field.
type Param struct {
	Name, Default, Help string
}

// settable returns the struct of a strategy that its pointer makes settable, and no value for any
// other kind of strategy, which has no parameters.
func settable(s dowse.Strategy) (v reflect.Value, fields []reflect.StructField) {
	v = reflect.Indirect(reflect.ValueOf(s))
	if !v.CanSet() || v.Kind() != reflect.Struct {
		return v, nil
	}
	return v, reflect.VisibleFields(v.Type())
}

// params lists the parameters of a strategy: its fields with a param tag, in order.
func params(s dowse.Strategy) (list []Param) {
	_, fields := settable(s)
	for _, f := range fields {
		if name, ok := f.Tag.Lookup("param"); ok {
			list = append(list, Param{name, f.Tag.Get("default"), f.Tag.Get("help")})
		}
	}
	return list
}

// set sets one parameter given as key=value. The error names the parameters that
// exist.
func set(s dowse.Strategy, kv string) error {
	key, value, ok := strings.Cut(kv, "=")
	if !ok {
		return fmt.Errorf("parameter %q: want key=value", kv)
	}
	v, fields := settable(s)
	var names []string
	for _, f := range fields {
		name, ok := f.Tag.Lookup("param")
		if !ok {
			continue
		}
		if name == key {
			return setField(v.FieldByIndex(f.Index), f.Tag, value)
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return fmt.Errorf("it has no parameters, so no %q", key)
	}
	return fmt.Errorf("it has no parameter %q; it has %s", key, strings.Join(names, ", "))
}

// setField parses and sets a parameter. The zero value of a field means its default;
// if that is not 0, a float that should be 0 becomes the smallest positive number, and
// an int of 0 is refused.
func setField(f reflect.Value, tag reflect.StructTag, value string) (err error) {
	key, byDefault := tag.Get("param"), tag.Get("default")
	wrong := func(want string) error { return fmt.Errorf("parameter %s=%s: want %s", key, value, want) }
	limits := boundsOf(tag, f.Kind() == reflect.Int)
	switch f.Kind() {
	case reflect.Float64:
		x, err := strconv.ParseFloat(value, 64)
		switch {
		case err != nil || math.IsNaN(x) || math.IsInf(x, 0):
			return wrong("a number")
		case !limits.hold(x):
			return wrong(limits.String())
		case x == 0 && byDefault != "0":
			x = math.SmallestNonzeroFloat64
		}
		f.SetFloat(x)
	case reflect.Int:
		x, err := strconv.ParseInt(value, 10, 64)
		switch {
		case err != nil:
			return wrong("a whole number")
		case x == 0 && byDefault != "0":
			return fmt.Errorf("parameter %s=0: 0 means the default, %s", key, byDefault)
		case !limits.hold(float64(x)):
			return wrong(limits.String())
		}
		f.SetInt(x)
	case reflect.Uint64:
		x, err := strconv.ParseUint(value, 10, 64)
		if err != nil {
			return wrong("a whole number of 0 or more")
		}
		f.SetUint(x)
	case reflect.Bool:
		x, err := strconv.ParseBool(value)
		if err != nil {
			return wrong("true or false")
		}
		f.SetBool(x)
	case reflect.String:
		f.SetString(value)
	default:
		return fmt.Errorf("parameter %q can't be set", key)
	}
	return nil
}

// bounds are the smallest and largest value of a number, from the tags min and max.
// Without tags they are 0 (1 for a whole number whose default is not 0) and the
// largest finite number.
type bounds struct{ least, most float64 }

func boundsOf(tag reflect.StructTag, whole bool) bounds {
	b := bounds{0, math.MaxFloat64}
	if whole && tag.Get("default") != "0" {
		b.least = 1
	}
	if x, err := strconv.ParseFloat(tag.Get("min"), 64); err == nil {
		b.least = x
	}
	if x, err := strconv.ParseFloat(tag.Get("max"), 64); err == nil {
		b.most = x
	}
	return b
}

func (b bounds) hold(x float64) bool { return b.least <= x && x <= b.most }

func (b bounds) String() string {
	if b.most == math.MaxFloat64 {
		return fmt.Sprintf("%g or more", b.least)
	}
	return fmt.Sprintf("%g to %g", b.least, b.most)
}
