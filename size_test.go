package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	maxFunctionLines = 75
	maxTypeMethods   = 60
)

// TestFunctionSizes checks that no function is too long to be read at once.
func TestFunctionSizes(t *testing.T) {
	var long []string
	eachFunction(t, func(name, _ string, lines int) {
		if lines > maxFunctionLines {
			long = append(long, name)
		}
	})
	require.Empty(t, long, "functions above %d lines", maxFunctionLines)
}

// TestTypeSizes checks that no type has too many methods to be one idea.
func TestTypeSizes(t *testing.T) {
	methods := map[string]int{}
	eachFunction(t, func(_, receiver string, _ int) { methods[receiver]++ })
	delete(methods, "")
	var large []string
	for name, n := range methods {
		if n > maxTypeMethods {
			large = append(large, name)
		}
	}
	require.Empty(t, large, "types above %d methods", maxTypeMethods)
}

// eachFunction calls visit for each function and method outside tests, with its
// name, its receiver's type ("" for a function), both with the folder, and its
// lines.
func eachFunction(t *testing.T, visit func(name, receiver string, lines int)) {
	files := 0
	require.NoError(t, filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "testdata" || len(file) > 1 && file[0] == '.') {
			return filepath.SkipDir
		}
		if err != nil || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		files++
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		dir := path.Dir(filepath.ToSlash(file))
		for _, decl := range f.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			name, receiver := fn.Name.Name, ""
			if fn.Recv != nil {
				receiver = dir + "." + receiverType(fn.Recv.List[0].Type)
				name = receiverType(fn.Recv.List[0].Type) + "." + name
			}
			visit(dir+"."+name, receiver, set.Position(fn.End()).Line-set.Position(fn.Pos()).Line+1)
		}
		return nil
	}))
	require.NotZero(t, files)
}

// receiverType returns the name of a receiver's type, without pointer and type
// parameters.
func receiverType(expr ast.Expr) string {
	switch x := expr.(type) {
	case *ast.StarExpr:
		return receiverType(x.X)
	case *ast.IndexExpr:
		return receiverType(x.X)
	case *ast.IndexListExpr:
		return receiverType(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}
