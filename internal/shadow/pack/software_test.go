package pack

import (
	"os"
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/shadow/check"
)

func softwarePack(t *testing.T) *Pack {
	t.Helper()
	const file = "../../../docs/packs/software.yml"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Parse(file, data, false)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// fence is a code block.
func fence(lang, body string) string { return "```" + lang + "\n" + body + "\n```\n" }

// software has, by how an assertion of the pack begins, texts that meet it and
// texts that do not. Good ones are what a checker might stumble over.
var software = map[string]struct{ good, bad []string }{
	"Examples of JSON": {
		good: []string{fence("json", `{"a": [1, 2]}`), fence("jsonc", "{ // a comment\n}"), fence("json", "\"part\": 1,"), fence("json", "{\"a\": 1}\n{\"b\": 2}"), fence("json", "{\"a\": [1, ...]}"), "no example"},
		bad:  []string{fence("json", `{"a": 1,}`), fence("json", `{"a": 1}`) + fence("json", "{a: 1}")},
	},
	"Each link leads": {
		good: []string{"See [the plan](plan.md) and [below](#risks).", "An array `a[0]()` and [x].", "![a picture](a.png)"},
		bad:  []string{"See [the plan]().", "[Design](#) and [code](https://example.org)"},
	},
	"Each date": {
		good: []string{"From 2024-02-29 to 2026-12-31.", "CVE-2021-44228, ticket 1999-ABC, 5555-66-77", "2026-04-30T23:59:59Z"},
		bad:  []string{"Due 2026-02-30.", "| 2025-13-01 |", "It ends on 2026-06-31T00:00:00Z."},
	},
	"Ports and networks": {
		good: []string{"`localhost:8080` and 10.0.0.0/16, 127.0.0.1:65535", "Version 1.2.3 of 2026/50."},
		bad:  []string{"Listens on localhost:80800.", "The network is 10.1.0.0/64."},
	},
	"No code drops": {
		good: []string{
			fence("go", "if err != nil {\n\treturn err\n}"), fence("js", "try { f() } catch (e) { log(e) }"), fence("py", "except KeyError:\n    pass"),
			"Never write `catch (e) {}`.", fence("js", "try { f() } catch { // gone is gone\n}"),
		},
		bad: []string{fence("js", "try { f() } catch (e) {}"), fence("go", "if err != nil {\n}"), fence("py", "try:\n    f()\nexcept Exception as e:\n    pass\n"), fence("py", "except: pass")},
	},
	"Each HTTP status": {
		good: []string{"`404 Not Found`, 409 Conflict or 200 OK.", "We had 404 requests; Forbidden ones 3.", "422 Unprocessable Content"},
		bad:  []string{"It answers 404 Forbidden.", "| 401 Not Found | no token |"},
	},
	"Code is shown in full": {
		good: []string{fence("go", "// the rest is easy: add one\nreturn n + 1"), fence("python", "def f(self) -> int: ..."), fence("sh", "# run it\nmake"), "// ... existing code is kept"},
		bad:  []string{fence("go", "func f() {\n\t// ... existing code\n}"), fence("py", "def f():\n    # implementation goes here\n    pass"), fence("js", "// rest of the handlers")},
	},
	"There is something under": {
		good: []string{"# A\n\n## B\n\nx\n", "# A\n\n- b\n", "# A\n\n" + fence("sh", "make"), "**Note**\n\n**Other**\n\nx", "## Out of scope: the council's own votes\n\n## Plan\n\nx"},
		bad:  []string{"# A\n\nx\n\n## B\n", "## Risks\n\n## Costs\n\nNone.\n"},
	},
	"Values go into SQL": {
		good: []string{
			fence("py", `cur.execute("SELECT * FROM t WHERE id = %s", (id,))`), fence("go", "db.Query(\"SELECT a FROM t WHERE b = $1\", b)"), fence("js", "db.query('SELECT 1')"),
			"Never write \"SELECT * FROM t WHERE id = \" + id.", fence("go", "db.Query(fmt.Sprintf(\"SELECT a FROM %s WHERE b = $1\", table), b)"), fence("py", `f"SELECT a FROM t WHERE b IN ({marks})"`),
		},
		bad: []string{
			fence("py", `cur.execute(f"SELECT * FROM t WHERE id = {id}")`), fence("js", `q("SELECT * FROM t WHERE id = '" + id + "'")`), fence("go", "db.Query(fmt.Sprintf(\"SELECT a FROM t WHERE b = '%s'\", b))"),
			fence("js", "q(`SELECT * FROM t WHERE id = ${id}`)"), fence("py", `q("DELETE FROM t WHERE id = %s" % (id))`),
		},
	},
	"Images and actions": {
		good: []string{fence("Dockerfile", "FROM alpine:3.20"), fence("yaml", "image: \"app@sha256:00\"\n- uses: actions/checkout@v4"), "Never deploy `app:latest`."},
		bad:  []string{fence("Dockerfile", "FROM node:latest"), fence("yaml", "    image: app:latest"), fence("yaml", "      - uses: actions/checkout@main")},
	},
	"Certificates": {
		good: []string{fence("py", "requests.get(url, verify=ca)"), fence("sh", "curl --fail https://example.org\nls -k"), "`curl -k` is forbidden."},
		bad:  []string{fence("py", "requests.get(url, verify=False)"), fence("go", "&tls.Config{InsecureSkipVerify: true}"), fence("sh", "curl -k https://example.org")},
	},
}

// unrelated work is accused of nothing that it does not touch.
const unrelated = `# Names for the new product

We looked at twelve names with five people. "Lantern" was liked best, as it is
short and easy to say in all languages that we asked about.

## Next

Ask the lawyers about Lantern; if it is taken, the second name is Ember.
`

func TestSoftwarePack(t *testing.T) {
	p := softwarePack(t)
	askAll(t, p)
	used := map[string]bool{}
	for i := range p.criteria {
		c := &p.criteria[i]
		program, err := check.Compile(c.Check)
		if err != nil {
			t.Fatal(err)
		}
		passes := func(text string) bool {
			r, err := program.Eval(check.Input{Bundle: map[string]any{"content": text}, Domain: map[string]any{}})
			if err != nil {
				t.Fatalf("%s: %v", c.Assertion, err)
			}
			return r.Passed
		}
		found := false
		for start, texts := range software {
			if !strings.HasPrefix(c.Assertion, start) {
				continue
			}
			found, used[start] = true, true
			for _, text := range texts.good {
				if !passes(text) {
					t.Errorf("%s\n\tfails %q", c.Assertion, text)
				}
			}
			for _, text := range texts.bad {
				if passes(text) {
					t.Errorf("%s\n\tpasses %q", c.Assertion, text)
				}
			}
			if len(texts.bad) == 0 || len(texts.good) == 0 {
				t.Errorf("%s: no good or no bad text", c.Assertion)
			}
		}
		if !found {
			t.Errorf("%s: no texts to try it on", c.Assertion)
		}
		if len(c.domains) == 0 && !passes(unrelated) {
			t.Errorf("%s\n\tfails work that has nothing to do with it", c.Assertion)
		}
	}
	if len(used) != len(software) {
		t.Errorf("%d of %d sets of texts were used", len(used), len(software))
	}
}
