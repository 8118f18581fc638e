package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// rows are the packages of this module: one imports those of rows above it alone. So the commands know everything,
// the adapters know the protocol and not each other, and the protocol knows neither a bus nor a file.
var rows = []string{
	"internal/text/clip internal/text/fold internal/progress internal/hint internal/llm/llmtest internal/bus/bustest internal/fulltest",
	"internal/text/markdown internal/text/strict internal/shadow/guard internal/shadow/passage",
	"internal/text/figures",
	"internal/shadow/check",
	"internal/shadow",
	"internal/shadow/attest internal/shadow/pack internal/bus/layout internal/dash internal/llm internal/notify internal/panel internal/results internal/trace",
	"internal/shadow/audit internal/bus/broker internal/bus/cloudevent internal/bus/doctor internal/bus/streams internal/keys",
	"internal/bus/history internal/config internal/input",
	"internal/bus internal/calibrate internal/panel/recorded",
	"internal/play internal/render",
	"internal/dash/page",
	"internal/daemon",
	"cmd/shadowd docs/bench docs/examples/commander .",
}

func rowOf(pkg string) int {
	return slices.IndexFunc(rows, func(row string) bool { return slices.Contains(strings.Fields(row), pkg) })
}

func TestImportsRunOneWay(t *testing.T) {
	// No I/O: a clock of its own is a matter of review.
	pure := []string{"net", "net/http", "os", "os/exec", "log", "log/slog", "github.com/nats-io/nats.go", "github.com/nats-io/nats-server/v2/server"}
	files := 0
	err := filepath.WalkDir(repository, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		files++
		rel, err := filepath.Rel(repository, file)
		if err != nil {
			return err
		}
		pkg := path.Dir(filepath.ToSlash(rel))
		row := rowOf(pkg)
		if row < 0 {
			t.Errorf("%s: package %s is in no row", rel, pkg)
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range parsed.Imports {
			name := strings.Trim(spec.Path.Value, `"`)
			if own, ok := strings.CutPrefix(name, "github.com/swarmspeed/shadowd/"); ok && rowOf(own) >= row {
				t.Errorf("%s imports %s, which is in no row above that of %s", rel, own, pkg)
			}
			if strings.HasPrefix(pkg, "internal/shadow") && slices.Contains(pure, name) {
				t.Errorf("%s imports %s: the protocol does no I/O", rel, name)
			}
		}
		return nil
	})
	if err != nil || files < 50 {
		t.Errorf("only %d files were looked at: %v", files, err)
	}
}
