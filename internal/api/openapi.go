package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"dowse/crawler"
	"dowse/internal/facts"
)

// An object is a JSON object of the OpenAPI document. Its members are sorted by encoding/json, so
// the document is the same at every start.
type object map[string]any

// pathParams matches the parameters of a path.
var pathParams = regexp.MustCompile(`\{([a-z]+)\}`)

// document returns the description of the API, OpenAPI 3.1, made from the table of operations.
func document() []byte {
	schemas := object{"problem": facts.SchemaOf(problem{}, "problem")}
	paths := object{}
	for _, r := range routes {
		item, _ := paths[Prefix+r.path].(object)
		if item == nil {
			item = object{}
			paths[Prefix+r.path] = item
		}
		item[strings.ToLower(r.method)] = r.describe(schemas)
	}
	doc := object{
		"openapi":  "3.1.0",
		"info":     object{"title": "dowse", "version": crawler.Version, "description": "Crawls and collections of dowse: read, follow and change them.", "license": object{"name": "see the repository"}},
		"paths":    paths,
		"security": []object{{"bearer": []string{}}},
		"components": object{
			"schemas":         schemas,
			"securitySchemes": object{"bearer": object{"type": "http", "scheme": "bearer"}},
			"responses": object{"problem": object{"description": "What is wrong.", "content": object{
				"application/problem+json": object{"schema": ref("problem")},
			}}},
		},
	}
	raw, err := facts.Encode(doc)
	if err != nil {
		panic(err) // it is made of strings, lists and schemas
	}
	var out bytes.Buffer
	if err := json.Indent(&out, raw, "", " "); err != nil {
		panic(err)
	}
	return append(out.Bytes(), '\n')
}

// ref returns a reference to a schema.
func ref(name string) object { return object{"$ref": "#/components/schemas/" + name} }

// schemaOf adds the schema of a type to those of the document and returns a reference to it.
func schemaOf(t reflect.Type, schemas object) object {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	name := t.Name()
	if _, ok := schemas[name]; !ok {
		schemas[name] = facts.SchemaOf(reflect.Zero(t).Interface(), name)
	}
	return ref(name)
}

// describe returns the operation of a route.
func (r route) describe(schemas object) object {
	op := object{"operationId": r.name, "summary": r.about}
	params := []object{}
	for _, m := range pathParams.FindAllStringSubmatch(r.path, -1) {
		params = append(params, object{"name": m[1], "in": "path", "required": true, "schema": object{"type": "string"}})
	}
	for _, p := range r.params {
		params = append(params, p.describe())
	}
	if len(params) > 0 {
		op["parameters"] = params
	}
	if r.body != nil {
		op["requestBody"] = object{"required": true, "content": object{typeJSON: object{"schema": schemaOf(r.body, schemas)}}}
	}
	op["responses"] = r.responses(schemas)
	return op
}

// describe returns a parameter of the query.
func (p param) describe() object {
	schema := object{"type": p.kind}
	switch p.kind {
	case "time":
		schema = object{"type": "string", "format": "date-time"}
	case "list":
		schema = object{"type": "array", "items": object{"type": "string"}}
	}
	if p.kind == "integer" {
		schema["minimum"] = p.least
	}
	if len(p.enum) > 0 {
		schema["enum"] = p.enum
	}
	x := object{"name": p.name, "in": "query", "description": p.about, "schema": schema}
	if p.required {
		x["required"] = true
	}
	return x
}

// responses returns the answers of an operation: success, and the problems that it can have.
func (r route) responses(schemas object) object {
	content := object{}
	if r.answer != nil {
		content[typeJSON] = object{"schema": schemaOf(r.answer, schemas)}
	}
	for _, kind := range r.produces {
		content[kind] = object{}
	}
	status := r.status
	if status == 0 {
		status = http.StatusOK
	}
	success := object{"description": r.about}
	if status != http.StatusNoContent {
		if len(content) == 0 {
			content[typeJSON] = object{}
		}
		success["content"] = content
	}
	out := object{strconv.Itoa(status): success}
	problems := []int{http.StatusBadRequest, http.StatusUnauthorized, http.StatusConflict, http.StatusRequestEntityTooLarge, http.StatusInternalServerError}
	if strings.Contains(r.path, "{") {
		problems = append(problems, http.StatusNotFound)
	}
	if r.method == http.MethodGet {
		out[strconv.Itoa(http.StatusNotModified)] = object{"description": "The client has this answer."}
	} else {
		problems = append(problems, http.StatusForbidden)
	}
	if r.body != nil {
		problems = append(problems, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity)
	}
	slices.Sort(problems)
	for _, n := range append(problems, http.StatusServiceUnavailable) {
		out[strconv.Itoa(n)] = object{"$ref": "#/components/responses/problem"}
	}
	return out
}
