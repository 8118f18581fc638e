package arithmetic

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/swarmspeed/shadowd/internal/text/markdown"
)

// texts names a folder of Markdown to measure false alarms on:
//
//	go test ./internal/text/arithmetic -run RealText -v -args -texts DIR
var texts = flag.String("texts", "", "folder of Markdown files to list the miscalculations of")

// TestRealText lists what is reported in the folder that -texts names, for a
// person to judge: nothing is known about its files. Without the flag it reads
// the project's own documents, in which nothing may be reported; those of the
// demo are wrong on purpose.
func TestRealText(t *testing.T) {
	root, own := *texts, *texts == ""
	if own {
		root = "../../.."
	}
	files, size, findings := 0, 0, 0
	var spent time.Duration
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if own && d.IsDir() && (d.Name() == "testdata" || d.Name() == "demo" || d.Name() != ".." && strings.HasPrefix(d.Name(), ".")) {
			return fs.SkipDir
		}
		if ext := strings.ToLower(filepath.Ext(path)); d.IsDir() || ext != ".md" && ext != ".markdown" && ext != ".mdx" {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text := markdown.Parse(string(data))
		start := time.Now()
		found := Find(text)
		spent += time.Since(start)
		files, size, findings = files+1, size+len(data), findings+len(found)
		lines := strings.Split(string(data), "\n")
		for _, f := range found {
			name, _ := filepath.Rel(root, path)
			t.Logf("%s %s: %s\n\t%s", f.Kind, name, f.Message(), strings.TrimSpace(lines[f.Line-1]))
			if own {
				t.Errorf("%s: %s", name, f.Message())
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files == 0 {
		t.Fatalf("no Markdown files in %s", root)
	}
	t.Logf("%d files, %.1f MB, %d findings, %v", files, float64(size)/1e6, findings, spent)
}
