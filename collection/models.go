package collection

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
)

// modelName is the name of a trained model: [FirstModel], m0001, m0002, ….
var modelName = regexp.MustCompile(`^m[0-9]{4,9}$`)

// ModelFile returns the name of a model's file in the collection.
func ModelFile(name string) string { return "models/" + name + ".json" }

// models returns the names of the trained models, the oldest first.
func (c *Collection) models() ([]string, error) {
	files, err := c.files().ReadDir("models")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("collection: %w", err)
	}
	var names []string
	for _, f := range files {
		if name, ok := strings.CutSuffix(f.Name(), ".json"); ok && modelName.MatchString(name) {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	return names, nil
}

// nextModel returns the name after the last of a sorted list.
func nextModel(names []string) string {
	n := 0
	if len(names) > 0 {
		_, _ = fmt.Sscanf(names[len(names)-1], "m%d", &n)
	}
	return fmt.Sprintf("m%04d", n+1)
}

// Model returns the file of a trained model, nil if there is none.
func (c *Collection) Model(name string) ([]byte, error) {
	if !modelName.MatchString(name) {
		return nil, fmt.Errorf("collection: %q is not the name of a model", name)
	}
	return c.readFile(ModelFile(name))
}

// categoryModels is the name of the models of the categories that the topic's gate asks for.
const categoryModels = "categories"

// Given returns the file of the model that the topic names, and the file with the models
// of the categories that its gate asks for; nil if it names none. [File] names them
// GivenModel and ModelFile("categories").
func (c *Collection) Given() (model, categories []byte, err error) {
	if model, err = c.readFile(GivenModel); err != nil {
		return nil, nil, err
	}
	categories, err = c.readFile(ModelFile(categoryModels))
	return model, categories, err
}

// readFile returns the content of a file of the collection, nil if it does
// not exist. A file of more than 256 MiB is an error.
func (c *Collection) readFile(name string) ([]byte, error) {
	if data, ok := c.plannedFiles[name]; ok {
		return data, nil
	}
	data, err := c.files().ReadBounded(name, maxModel)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("collection: %w", err)
	}
	return data, nil
}
