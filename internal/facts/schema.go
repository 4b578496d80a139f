package facts

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"time"
)

// dialect is the version of JSON Schema in which schemas are written.
const dialect = "https://json-schema.org/draft/2020-12/schema"

// A Schema is a JSON Schema, or a part of one: members in the order in which they are printed. Schemas are
// made from the table of facts and from Go types, so they can't differ from what the program prints.
type Schema []member

// A member is one name of a schema with its value.
type member struct {
	name  string
	value any
}

// MarshalJSON returns the members in their order.
func (s Schema) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, m := range s {
		if i > 0 {
			b = append(b, ',')
		}
		name, _ := Encode(m.name)
		value, err := Encode(m.value)
		if err != nil {
			return nil, err
		}
		b = append(append(append(b, name...), ':'), value...)
	}
	return append(b, '}'), nil
}

// Document returns the schema as the text of a file of its own.
func (s Schema) Document(about string) []byte {
	full := append(Schema{{"$schema", dialect}, {"description", about}}, s...)
	raw, err := Encode(full)
	if err != nil {
		panic(err) // it is made of strings, lists and schemas
	}
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		panic(err)
	}
	return append(b.Bytes(), '\n')
}

// PageObject returns the schema of the JSON object of a page, made from the table.
func PageObject() Schema {
	properties := Schema{{"schema", Schema{{"const", PageSchema}}}}
	for _, f := range All() {
		if f.printable() {
			properties = append(properties, member{f.Name, f.schema()})
		}
	}
	return Schema{{"title", PageSchema}, {"type", "object"}, {"required", []string{"schema", "url"}}, {"properties", properties}}
}

// schema returns the schema of the value of a fact.
func (f *Fact) schema() Schema {
	doc := f.Doc
	if f.Unit != "" {
		doc += " (" + f.Unit + ")"
	}
	if !f.Printed {
		doc += "; only if asked for by name"
	}
	s := Schema{{"description", doc}}
	switch f.Type {
	case List:
		return append(s, member{"type", "array"}, member{"items", Schema{{"type", "string"}}})
	case Table:
		return append(s, member{"type", "object"}, member{"additionalProperties", Schema{{"type", "string"}}})
	case Integer:
		return append(s, member{"type", "integer"})
	case Number, Duration:
		return append(s, member{"type", "number"})
	case Truth:
		return append(s, member{"type", "boolean"})
	case Date:
		return append(s, member{"type", "string"}, member{"format", "date-time"})
	case Reasons:
		return append(s, member{"type", "array"}, member{"items", typeSchema(reflect.TypeFor[Cause]())})
	}
	return append(s, member{"type", "string"})
}

// SchemaOf returns the schema of the JSON object that a struct is written as. Names come from the json
// tags of its fields and descriptions from their doc tags. A field that JSON leaves out when it is
// empty is not required. name is its title. If it is a version, such as page/v1, the member "schema" has it as its value.
func SchemaOf(v any, name string) Schema {
	s := Schema{{"title", name}}
	for _, m := range typeSchema(reflect.TypeOf(v)) {
		if properties, ok := m.value.(Schema); ok && m.name == "properties" {
			for i := range properties {
				if properties[i].name == "schema" && strings.Contains(name, "/") {
					properties[i].value = Schema{{"const", name}}
				}
			}
		}
		s = append(s, m)
	}
	return s
}

// typeSchema returns the schema of a Go type as encoding/json writes it. A type that it does not know is a
// mistake of the programmer, which the tests of the schemas find.
func typeSchema(t reflect.Type) Schema {
	switch t {
	case reflect.TypeFor[time.Time]():
		return Schema{{"type", "string"}, {"format", "date-time"}}
	case reflect.TypeFor[Seconds]():
		return Schema{{"type", "number"}}
	case reflect.TypeFor[*Row](), reflect.TypeFor[Row]():
		return PageObject()
	}
	switch t.Kind() {
	case reflect.Pointer:
		return typeSchema(t.Elem())
	case reflect.String:
		return Schema{{"type", "string"}}
	case reflect.Bool:
		return Schema{{"type", "boolean"}}
	case reflect.Float64:
		return Schema{{"type", "number"}}
	case reflect.Int, reflect.Int64:
		if t == reflect.TypeFor[time.Duration]() {
			panic("facts: a duration in JSON is of type Seconds")
		}
		return Schema{{"type", "integer"}}
	case reflect.Slice:
		return Schema{{"type", "array"}, {"items", typeSchema(t.Elem())}}
	case reflect.Map:
		return Schema{{"type", "object"}, {"additionalProperties", typeSchema(t.Elem())}}
	case reflect.Struct:
		return structSchema(t)
	}
	panic("facts: no schema for " + t.String())
}

// structSchema returns the schema of a struct: an object with its fields as properties.
func structSchema(t reflect.Type) Schema {
	properties, required := structFields(t)
	s := Schema{{"type", "object"}}
	if len(required) > 0 {
		s = append(s, member{"required", required})
	}
	return append(s, member{"properties", properties})
}

// structFields returns the properties of a struct, with those of structs embedded in it, and which of them are
// always there.
func structFields(t reflect.Type) (properties Schema, required []string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-":
		case f.Anonymous && name == "":
			inner := f.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			p, r := structFields(inner)
			properties, required = append(properties, p...), append(required, r...)
		case name != "":
			s := typeSchema(f.Type)
			if doc := f.Tag.Get("doc"); doc != "" {
				s = append(Schema{{"description", doc}}, s...)
			}
			properties = append(properties, member{name, s})
			if !strings.Contains(options, "omit") {
				required = append(required, name)
			}
		}
	}
	return properties, required
}
