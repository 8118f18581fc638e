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

// TestImportsRunOneWay: the commands know everything, the adapters know the
// protocol and not each other, and the protocol knows neither a bus nor a file.
func TestImportsRunOneWay(t *testing.T) {
	const module = "github.com/swarmspeed/shadowd/"
	// What each package may import of this module.
	allowed := map[string][]string{
		"cmd/shadowd":             {"internal/bus", "internal/bus/broker", "internal/bus/doctor", "internal/bus/history", "internal/bus/layout", "internal/calibrate", "internal/config", "internal/daemon", "internal/dash", "internal/hint", "internal/input", "internal/keys", "internal/panel", "internal/panel/recorded", "internal/play", "internal/progress", "internal/render", "internal/results", "internal/shadow", "internal/shadow/attest", "internal/shadow/audit", "internal/shadow/check", "internal/shadow/pack"},
		"internal/fulltest":       {},
		"internal/bus":            {"internal/bus/cloudevent", "internal/bus/history", "internal/bus/layout", "internal/bus/streams", "internal/hint", "internal/progress", "internal/shadow", "internal/shadow/attest", "internal/shadow/audit"},
		"internal/bus/broker":     {"internal/bus/layout"},
		"internal/bus/bustest":    {},
		"internal/bus/cloudevent": {"internal/bus/layout", "internal/shadow", "internal/text/strict"},
		"internal/bus/doctor":     {"internal/bus/layout", "internal/progress", "internal/shadow"},
		"internal/bus/history":    {"internal/bus/cloudevent", "internal/bus/layout", "internal/bus/streams", "internal/hint", "internal/shadow", "internal/shadow/attest", "internal/shadow/check", "internal/text/clip"},
		"internal/bus/layout":     {"internal/hint", "internal/shadow"},
		"internal/bus/streams":    {"internal/bus/layout", "internal/progress"},
		"internal/config":         {"internal/bus/broker", "internal/bus/layout", "internal/keys", "internal/llm", "internal/shadow", "internal/text/clip", "internal/text/strict"},
		"internal/input":          {"internal/bus/cloudevent", "internal/shadow", "internal/shadow/attest", "internal/text/strict"},
		"internal/keys":           {"internal/hint", "internal/shadow", "internal/shadow/attest"},
		".":                       {},
		"internal/hint":           {},
		"internal/daemon":         {"internal/bus", "internal/bus/broker", "internal/bus/doctor", "internal/bus/history", "internal/bus/layout", "internal/config", "internal/dash", "internal/dash/page", "internal/hint", "internal/keys", "internal/llm", "internal/notify", "internal/panel", "internal/panel/recorded", "internal/play", "internal/shadow", "internal/shadow/attest", "internal/shadow/pack", "internal/trace"},
		"internal/trace":          {"internal/shadow"},
		"internal/notify":         {"internal/shadow"},
		"internal/dash":           {"internal/shadow"},
		"internal/dash/page":      {"internal/bus/history", "internal/bus/layout", "internal/dash", "internal/render", "internal/shadow"},
		"internal/panel":          {"internal/progress", "internal/shadow"},
		"internal/panel/recorded": {"internal/input", "internal/shadow"},
		"internal/llm":            {"internal/shadow", "internal/shadow/passage", "internal/text/clip", "internal/text/fold"},
		"internal/llm/llmtest":    {},
		"internal/calibrate":      {"internal/bus/history", "internal/input", "internal/panel", "internal/progress", "internal/shadow", "internal/shadow/passage"},
		"internal/progress":       {},
		"internal/play":           {"internal/bus/cloudevent", "internal/bus/history", "internal/bus/layout", "internal/bus/streams", "internal/hint", "internal/input", "internal/panel/recorded", "internal/shadow"},
		"internal/render":         {"internal/bus/doctor", "internal/bus/history", "internal/bus/layout", "internal/calibrate", "internal/dash", "internal/results", "internal/shadow", "internal/shadow/attest", "internal/shadow/audit", "internal/shadow/check", "internal/shadow/pack", "internal/shadow/passage", "internal/text/clip"},
		"internal/results":        {"internal/shadow"},
		"internal/shadow":         {"internal/progress", "internal/shadow/check", "internal/shadow/guard", "internal/shadow/passage", "internal/text/clip", "internal/text/figures", "internal/text/fold", "internal/text/markdown", "internal/text/strict"},
		"internal/shadow/attest":  {"internal/shadow"},
		"internal/shadow/audit":   {"internal/shadow", "internal/shadow/attest", "internal/shadow/check", "internal/text/clip"},
		"internal/shadow/check":   {"internal/text/clip", "internal/text/figures", "internal/text/markdown"},
		"internal/text/clip":      {},
		"internal/text/figures":   {"internal/text/clip", "internal/text/fold", "internal/text/markdown"},
		"internal/text/fold":      {},
		"internal/text/markdown":  {"internal/text/fold"},
		"internal/text/strict":    {"internal/text/clip"},
		"internal/shadow/guard":   {"internal/text/fold"},
		"internal/shadow/pack":    {"internal/shadow", "internal/shadow/check", "internal/shadow/guard", "internal/text/strict"},
		"internal/shadow/passage": {"internal/text/fold"},
		"docs/bench":              {"internal/bus", "internal/bus/broker", "internal/bus/layout", "internal/bus/streams", "internal/config", "internal/daemon", "internal/shadow", "internal/shadow/attest"},
		"docs/examples/commander": {},
		"docs/examples/consensus": {},
	}
	// What the protocol must not touch: no I/O, no clock of its own is a
	// matter of review, but these would show it.
	pure := []string{"net", "net/http", "os", "os/exec", "log", "log/slog", "github.com/nats-io/nats.go", "github.com/nats-io/nats-server/v2/server"}
	root := filepath.Join("..", "..")
	files := 0
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		files++
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		pkg := path.Dir(filepath.ToSlash(rel))
		may, known := allowed[pkg]
		if !known {
			t.Errorf("%s: package %s is not in the plan: say here what it may import", rel, pkg)
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range parsed.Imports {
			name := strings.Trim(spec.Path.Value, `"`)
			if own, ok := strings.CutPrefix(name, module); ok && !slices.Contains(may, own) {
				t.Errorf("%s imports %s, which %s may not", rel, own, pkg)
			}
			if strings.HasPrefix(pkg, "internal/shadow") && slices.Contains(pure, name) {
				t.Errorf("%s imports %s: the protocol does no I/O", rel, name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 50 {
		t.Errorf("only %d files were looked at", files)
	}
}
