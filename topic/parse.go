package topic

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"dowse/internal/strictyaml"
)

// maxFile is the most bytes that a topic file may have.
const maxFile = 256 << 10

// form bounds a topic file. Faults of a parsed file are reported together, by the reader.
var form = strictyaml.Form{
	Bytes: maxFile, Line: 16 << 10, Brackets: 64, Dashes: 16, Indent: 200, Keys: 1000,
	FixLarge:  "put long lists of seeds into a file of their own",
	FixKeys:   "a topic has about ten: remove the others",
	FixEmpty:  "begin with \"dowse: " + Schema + "\", \"name: …\" and \"words: […]\"",
	FixSecond: "write one topic per file",
	FixOther:  "compare the file with the examples in docs/topics.md",
	Lenient:   true,
}

// Load reads a topic file. Paths in it are relative to its folder, and if
// something that it names can't be loaded ([Topic.Gather]), the error has the
// place in the file.
func Load(path string) (*Topic, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("topic: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("topic: read %s: %w", path, err)
	}
	r := &reader{file: path}
	t, err := r.parse(data)
	if err != nil {
		return nil, err
	}
	t.Dir, t.named = filepath.Dir(path), r.named
	return t, nil
}

// Parse reads a topic from the text of a file; name is the file's name in
// errors. It is strict: unknown keys, repeated keys and values of the wrong
// kind are errors, each an [*Error] with its place. The text may be hostile:
// size and nesting are bounded, and anchors and aliases are refused.
func Parse(data []byte, name string) (*Topic, error) {
	return (&reader{file: name}).parse(data)
}

func (r *reader) parse(data []byte) (*Topic, error) {
	root, p := form.Parse(data, r.file)
	if p != nil {
		return nil, p
	}
	t := &Topic{}
	r.topic(root, t)
	if len(r.problems) == 0 && len(t.YAML()) > maxFile {
		r.fail(root, fmt.Sprintf("the topic has more than %d KiB in canonical form", maxFile>>10), "put long lists of seeds into a file of their own")
	}
	if err := joinProblems(r.problems); err != nil {
		return nil, err
	}
	return t, nil
}
