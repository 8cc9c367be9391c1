package lean

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// prune returns a Go file without the declarations that drop tells, and without
// the imports that are then used no more. A file of which nothing is dropped is
// returned as it is.
func prune(content []byte, drop func(name string) bool) ([]byte, error) {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, "", content, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var gone []ast.Node
	for _, d := range tree.Decls {
		gone = append(gone, dropped(d, drop)...)
	}
	if len(gone) == 0 {
		return content, nil
	}
	used := selected(tree, gone)
	for _, d := range tree.Decls {
		gone = append(gone, dropped(d, func(name string) bool {
			_, imported := strings.CutPrefix(name, "import ")
			return imported && !used[name]
		})...)
	}
	return without(content, fset, gone), nil
}

// dropped returns what of a declaration is left out: itself, some of the
// specifications in its brackets, or nothing.
func dropped(d ast.Decl, drop func(string) bool) (gone []ast.Node) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if drop(funcName(d)) {
			return []ast.Node{d}
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			if name := specName(s); name != "" && drop(name) {
				gone = append(gone, s)
			}
		}
		if len(gone) == len(d.Specs) && len(gone) > 0 {
			return []ast.Node{d}
		}
	}
	return gone
}

// funcName is "F" for a function and "T.M" for a method.
func funcName(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	of := f.Recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	if of, ok := of.(*ast.Ident); ok {
		return of.Name + "." + f.Name.Name
	}
	return ""
}

// specName is the one name that a specification declares, "import name" for an
// import; "" where it declares several.
func specName(s ast.Spec) string {
	switch s := s.(type) {
	case *ast.ImportSpec:
		return "import " + importName(s)
	case *ast.TypeSpec:
		return s.Name.Name
	case *ast.ValueSpec:
		if len(s.Names) == 1 {
			return s.Names[0].Name
		}
	}
	return ""
}

// selected are the names x in x.y outside of gone, as "import x": among them are
// the packages that are used. What is imported under the names _ and . stays.
func selected(tree *ast.File, gone []ast.Node) map[string]bool {
	used := map[string]bool{"import _": true, "import .": true}
	ast.Inspect(tree, func(n ast.Node) bool {
		if n != nil && slices.Contains(gone, n) {
			return false
		}
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok {
				used["import "+x.Name] = true
			}
		}
		return true
	})
	return used
}

var version = regexp.MustCompile(`^v[0-9]+$`)

// importName is the name by which a file knows what it imports, told by the path
// where the file does not say.
func importName(i *ast.ImportSpec) string {
	if i.Name != nil {
		return i.Name.Name
	}
	p, err := strconv.Unquote(i.Path.Value)
	if err != nil {
		return ""
	}
	if base := path.Base(p); !version.MatchString(base) {
		return base[strings.LastIndex(base, "-")+1:]
	}
	return path.Base(path.Dir(p))
}

// without returns the content less the nodes and their comments.
func without(content []byte, fset *token.FileSet, gone []ast.Node) []byte {
	slices.SortFunc(gone, func(a, b ast.Node) int { return int(a.Pos() - b.Pos()) })
	var kept []byte
	at := 0
	for _, n := range gone {
		from, to := n.Pos(), n.End()
		if doc := docOf(n); doc != nil {
			from = doc.Pos()
		}
		kept = append(kept, content[at:fset.Position(from).Offset]...)
		at = fset.Position(to).Offset
	}
	return append(kept, content[at:]...)
}

func docOf(n ast.Node) *ast.CommentGroup {
	switch n := n.(type) {
	case *ast.FuncDecl:
		return n.Doc
	case *ast.GenDecl:
		return n.Doc
	case *ast.TypeSpec:
		return n.Doc
	case *ast.ValueSpec:
		return n.Doc
	}
	return nil
}
