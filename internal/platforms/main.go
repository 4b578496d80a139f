// Command platforms checks that the packages of the module compile on other
// systems. It reads every package and everything that it imports from source, with the files
// that belong to the system, and checks the types, which is a tenth of the work of a compiler.
//
//	go run ./internal/platforms darwin/arm64 windows/amd64
//
// The bodies of functions are checked in the packages of the module and in third-party packages,
// not in the standard library. Nothing is linked: "make release" does that.
//
// The exit status is 1 if a package has an error.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

func main() {
	failed := false
	for _, platform := range os.Args[1:] {
		errs := check(".", platform)
		for _, err := range errs {
			fmt.Fprintf(os.Stderr, "%s: %v\n", platform, err)
		}
		failed = failed || errs != nil
	}
	if failed {
		os.Exit(1)
	}
}

// listed is what "go list" prints of a package.
type listed struct {
	ImportPath, Dir   string
	Standard, DepOnly bool
	GoFiles           []string
	Imports           []string
	ImportMap         map[string]string
	Module            *struct{ GoVersion string }
	Error             *struct{ Pos, Err string }
}

// A pkg is a package that is checked.
type pkg struct {
	listed
	deps map[string]*pkg // by the path in the source
	done chan struct{}   // closed when the fields below are set
	pkg  *types.Package
	errs []error
}

// check returns the errors of all packages of the module in dir, and of what they import.
func check(dir, platform string) (errs []error) {
	goos, goarch, ok := strings.Cut(platform, "/")
	if !ok {
		return []error{fmt.Errorf("%q: want a system and an architecture, as in windows/amd64", platform)}
	}
	pkgs, err := list(dir, goos, goarch)
	if err != nil {
		return []error{err}
	}
	files := token.NewFileSet()
	sizes := types.SizesFor("gc", goarch)
	turn := make(chan struct{}, runtime.GOMAXPROCS(0))
	var wait sync.WaitGroup
	for _, p := range pkgs {
		wait.Go(func() {
			defer close(p.done)
			for _, d := range p.deps {
				<-d.done
			}
			turn <- struct{}{}
			p.check(files, sizes)
			<-turn
		})
	}
	wait.Wait()
	for _, p := range pkgs {
		errs = append(errs, p.errs...)
	}
	return errs
}

// list returns the packages of the module in dir and everything that they import, in an order in
// which packages follow what they import.
func list(dir, goos, goarch string) (pkgs []*pkg, err error) {
	cmd := exec.Command("go", "list", "-e", "-deps", "-json=ImportPath,Dir,Standard,DepOnly,GoFiles,Imports,ImportMap,Module,Error", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	byPath := map[string]*pkg{}
	for in := json.NewDecoder(out); ; {
		p := &pkg{deps: map[string]*pkg{}, done: make(chan struct{})}
		err := in.Decode(&p.listed)
		if errors.Is(err, io.EOF) {
			return pkgs, cmd.Wait()
		}
		if err != nil {
			return nil, errors.Join(err, cmd.Wait())
		}
		byPath[p.ImportPath] = p
		pkgs = append(pkgs, p)
		for _, path := range p.Imports {
			if d := byPath[path]; d != nil {
				p.deps[sourcePath(p.ImportMap, path)] = d
			}
		}
	}
}

// sourcePath returns the path by which the source imports the package that "go list" calls path:
// these differ for vendored packages of the standard library.
func sourcePath(importMap map[string]string, path string) string {
	for in, to := range importMap {
		if to == path {
			return in
		}
	}
	return path
}

// Import implements types.Importer.
func (p *pkg) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	d := p.deps[path]
	if d == nil || d.pkg == nil {
		return nil, fmt.Errorf("%s cannot be imported", path)
	}
	return d.pkg, nil
}

// check checks the types of a package. What it imports has been checked.
func (p *pkg) check(files *token.FileSet, sizes types.Sizes) {
	report := func(err error) { p.errs = append(p.errs, err) }
	if p.Error != nil {
		report(fmt.Errorf("%s: %s: %s", p.ImportPath, p.Error.Pos, p.Error.Err))
	}
	if p.ImportPath == "unsafe" {
		return
	}
	var syntax []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			report(err)
			continue
		}
		syntax = append(syntax, f)
		if !p.DepOnly {
			p.bodies(f, files)
		}
	}
	conf := types.Config{Importer: p, Sizes: sizes, IgnoreFuncBodies: p.Standard, Error: report}
	if p.Module != nil && p.Module.GoVersion != "" {
		conf.GoVersion = "go" + p.Module.GoVersion
	}
	p.pkg, _ = conf.Check(p.ImportPath, files, syntax, nil) // reports its errors
}

// bodies reports functions without a body. The module has no assembler, and a compiler refuses
// them.
func (p *pkg) bodies(f *ast.File, files *token.FileSet) {
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body == nil {
			p.errs = append(p.errs, fmt.Errorf("%s: %s has no body", files.Position(fn.Pos()), fn.Name.Name))
		}
	}
}
