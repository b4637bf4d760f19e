package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// maxUnusedExports is how many package-level names may be exported although no
// other package uses them: errors, limits and values that a documented contract
// names.
const maxUnusedExports = 60

// TestExportedNamesAreUsed counts the exported names that no other package uses; an
// external test counts as another package. A type also counts as used if an
// exported declaration of its package mentions it, and a constant if another one
// of its type is used: they are one set. The files of all systems count, with all
// build tags: outside its package, a package-level name is always written as a
// selector on the name of an import.
func TestExportedNamesAreUsed(t *testing.T) {
	e := exports{declared: map[string]string{}, used: map[string]bool{}}
	require.NoError(t, filepath.WalkDir(".", func(file string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "testdata" || len(file) > 1 && file[0] == '.') {
			return filepath.SkipDir
		}
		if err != nil || filepath.Ext(file) != ".go" {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		require.NoError(t, err)
		if !strings.HasSuffix(file, "_test.go") {
			e.declare(f, path.Join(module, filepath.ToSlash(filepath.Dir(file)))+".")
		}
		e.use(f)
		return nil
	}))
	unused := e.unused()
	require.LessOrEqual(t, len(unused), maxUnusedExports, "unexport some of these:\n%s", strings.Join(unused, "\n"))
	t.Logf("%d of %d exported names are used by their own package only:\n%s", len(unused), len(e.declared), strings.Join(unused, "\n"))
}

// exports are package-level names, each with the path of its package.
type exports struct {
	declared map[string]string // the set of a constant, else ""
	used     map[string]bool   // names and sets
}

// unused returns the names that are not used, in order.
func (e *exports) unused() []string {
	for name, set := range e.declared {
		if e.used[name] && set != "" {
			e.used[set] = true
		}
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(e.declared)), func(name string) bool { return e.used[name] || e.used[e.declared[name]] })
}

// declare adds the exported names of a file, and uses the types that they mention.
func (e *exports) declare(f *ast.File, pkg string) {
	for _, decl := range f.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv == nil {
				e.add(pkg, decl.Name, "")
			}
			if decl.Name.IsExported() && (decl.Recv == nil || exportedReceiver(decl.Recv.List[0].Type)) {
				e.mention(pkg, decl.Type)
			}
		case *ast.GenDecl:
			set := ""
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					e.add(pkg, spec.Name, "")
					if spec.Name.IsExported() {
						e.mention(pkg, spec.Type)
					}
				case *ast.ValueSpec:
					if spec.Type != nil || spec.Values != nil {
						set = setOf(pkg, decl.Tok, spec.Type)
					}
					for _, id := range spec.Names {
						e.add(pkg, id, set)
						if id.IsExported() && spec.Type != nil {
							e.mention(pkg, spec.Type)
						}
					}
				}
			}
		}
	}
}

func (e *exports) add(pkg string, id *ast.Ident, set string) {
	if id.IsExported() {
		e.declared[pkg+id.Name] = set
	}
}

// setOf returns the set of the constants of a type.
func setOf(pkg string, tok token.Token, typ ast.Expr) string {
	if id, ok := typ.(*ast.Ident); ok && tok == token.CONST && id.IsExported() {
		return pkg + "constants of " + id.Name
	}
	return ""
}

func exportedReceiver(typ ast.Expr) bool {
	for {
		switch x := typ.(type) {
		case *ast.StarExpr:
			typ = x.X
		case *ast.IndexExpr:
			typ = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return false
		}
	}
}

// mention uses the exported types that an exported declaration mentions: not those
// of unexported fields.
func (e *exports) mention(pkg string, typ ast.Node) {
	ast.Inspect(typ, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			for _, id := range n.Names {
				if _, function := typ.(*ast.FuncType); !function && !id.IsExported() {
					return false
				}
			}
			e.mention(pkg, n.Type)
			return false
		case *ast.SelectorExpr:
			return false
		case *ast.Ident:
			if n.IsExported() {
				e.used[pkg+n.Name] = true
			}
		}
		return true
	})
}

// use adds the names of our packages that a file uses.
func (e *exports) use(f *ast.File) {
	imports := map[string]string{}
	for _, spec := range f.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		name := path.Base(imported)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		if below(imported, module) {
			imports[name] = imported
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok && imports[x.Name] != "" && x.Obj == nil { // else a local variable
				e.used[imports[x.Name]+"."+sel.Sel.Name] = true
			}
		}
		return true
	})
}
