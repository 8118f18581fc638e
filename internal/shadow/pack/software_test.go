package pack

import (
	"os"
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/shadow"
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
// texts that do not. Good ones are what a checker of words might stumble over.
var software = map[string]struct{ good, bad []string }{
	"Where an HTTP endpoint is named": {
		good: []string{"The `/orders` endpoint: `GET /orders` lists orders.", "The route `/a`\n\n| Endpoint | |\n|---|---|\n| `POST` | `/a` |", "The endpoint is slow.", "Endpoints: /v1/a and /v1/b\n\nGET https://api.example.org/v1/a"},
		bad:  []string{"The `/orders` endpoint returns a list.", "Endpoints: /v1/orders and more", "Clients refresh via /auth/refresh endpoint."},
	},
	"Examples of JSON": {
		good: []string{fence("json", `{"a": [1, 2]}`), fence("jsonc", "{ // a comment\n}"), fence("json", "\"part\": 1,"), "no example"},
		bad:  []string{fence("json", `{"a": 1,}`), fence("json", `{"a": 1}`) + fence("json", "{a: 1}")},
	},
	"A statement that all tests pass": {
		good: []string{"All tests pass (42 tests in 3 s).", "All unit tests pass: run `go test ./...`.", "Not all of it is tested.", "All 12 tests pass.", "All tests pass.\n\n" + fence("sh", "npm test")},
		bad:  []string{"All tests pass.", "We made sure that all the tests are green and users go home happy."},
	},
	"Instructions for use": {
		good: []string{"# Installation\n\n" + fence("sh", "npm i x"), "## Usage\nCall `tool run --all`.", "# Reference\nOptions and their meaning."},
		bad:  []string{"# Installation\n\nInstall the package and start it.", "## Getting started\n\nUse the tool."},
	},
	"A limit on rates": {
		good: []string{"Rate limiting: 100 requests per minute.", "Uploads have a size limit of 5 MB.", "| quota | 1,000 items |", "There is a rate limit: `60 req/min`."},
		bad:  []string{"Requests are rate-limited per user.", "A quota protects tenant 2 of the cluster from others."},
	},
	"A timeout or an expiry": {
		good: []string{"The timeout is 30 s.", "Tokens expire after fifteen minutes.", "`expires_in: 3600`, the expiry of a token", "Cache TTL = 86400s.", "TTL: 300"},
		bad:  []string{"Calls have a timeout.", "Tokens of type 2 expire soon."},
	},
	"Where times are stored": {
		good: []string{"`created_at timestamptz`", "Timestamps are UTC.", "| timestamp | RFC 3339 |", "The timestamp is `2026-01-02T03:04:05Z`.", "Times of the day."},
		bad:  []string{"The row has a timestamp.", fence("sql", "CREATE TABLE t (created_at timestamp)")},
	},
	"Where work runs at the same time": {
		good: []string{"Concurrent refreshes are serialised by a row lock.", "Race conditions: the insert is atomic.", "Workers run in parallel; steps are idempotent.", "One thing after the other."},
		bad:  []string{"The service handles concurrent requests well.", "Two users may book simultaneously."},
	},
	"Tests go beyond": {
		good: []string{"| test | result |\n|---|---|\n| expired token | 401 |", "We test malformed input."},
		bad:  []string{"A test signs in and sees the home page."},
	},
	"HTTP endpoints come with more": {
		good: []string{"`GET /a`: 200, 404 or 500.", "`POST /a` answers errors as application/problem+json.", "No endpoints here."},
		bad:  []string{"`GET /a` answers 200.", "`DELETE /a` answers 204 or 404, and again 404."},
	},
	"Retries have an end": {
		good: []string{"Retries: 3 attempts with exponential backoff.", "It is retried up to five times.", "We do not retry.", "`max_retries: 5`, and then the event is retried no more"},
		bad:  []string{"Failed calls are retried.", "On failure we try again until it works."},
	},
	"A change of a database schema": {
		good: []string{fence("sql", "ALTER TABLE t ADD c int;") + "Rollback: drop the column.", "Database migrations are forward-only.", fence("sql", "ALTER TABLE t ADD c int;") + "Going back costs nothing.", "Birds on their migration."},
		bad:  []string{fence("sql", "ALTER TABLE t ADD c int;"), "The migration script adds a column."},
	},
	"It is said what happens when a service": {
		good: []string{"Webhooks that fail are redelivered.", "While the payment provider is unavailable orders wait.", "Upstream timeouts give 504.", "We call nobody."},
		bad:  []string{"The payment gateway is called for every order.", "Events go to the message broker."},
	},
	"Code is shown in full": {
		good: []string{fence("go", "// the rest is easy: add one\nreturn n + 1"), fence("python", "def f(self) -> int: ..."), fence("sh", "# run it\nmake"), "// ... existing code is kept"},
		bad:  []string{fence("go", "func f() {\n\t// ... existing code\n}"), fence("py", "def f():\n    # implementation goes here\n    pass"), fence("js", "// rest of the handlers")},
	},
	"Each environment variable": {
		good: []string{fence("js", "const u = process.env.DB_URL") + "`DB_URL` is the address of the database.", "HOME is where the heart is."},
		bad:  []string{fence("go", `os.Getenv("DB_URL")`) + "The service needs a database.", fence("py", "os.environ['API_TOKEN']")},
	},
	"A decision for a technology": {
		good: []string{"We chose PostgreSQL because it has transactions.", "Redis was selected rather than memcached.", "It runs on PostgreSQL."},
		bad:  []string{"We chose PostgreSQL.", "# Design decisions\n\n- PostgreSQL\n- Redis"},
	},
	"Goals for speed": {
		good: []string{"Latency: p95 under 200 ms.", "Throughput of 500 requests a second.", "99.9 % availability.", "It is a small tool."},
		bad:  []string{"The design has low latency and high throughput.", "Availability is high in both regions."},
	},
	"What is to be watched": {
		good: []string{"Alert: error rate > 1 %.", "An alert is raised when the queue is not read for 5 minutes.", "No monitoring."},
		bad:  []string{"Alerts go to the team."},
	},
	"Values go into SQL": {
		good: []string{fence("py", `cur.execute("SELECT * FROM t WHERE id = %s", (id,))`), fence("go", "db.Query(\"SELECT a FROM t WHERE b = $1\", b)"), fence("js", "db.query('SELECT 1')"), "Never write \"SELECT * FROM t WHERE id = \" + id."},
		bad: []string{fence("py", `cur.execute(f"SELECT * FROM t WHERE id = {id}")`), fence("js", `q("SELECT * FROM t WHERE id = '" + id + "'")`), fence("go", "db.Query(fmt.Sprintf(\"SELECT a FROM %s\", t))"),
			fence("js", "q(`SELECT * FROM t WHERE id = ${id}`)"), fence("py", `q("DELETE FROM t WHERE id = %s" % (id))`)},
	},
	"Stored passwords": {
		good: []string{"Passwords are hashed with argon2id before they are stored.", "`password_hash` holds a bcrypt hash.", "We store no passwords: sign-in is by the identity provider.", "Forgot your password? Ask."},
		bad:  []string{"Passwords are stored in the users table.", "The password is hashed with SHA-256.", "password_hash text"},
	},
	"It is said who may call": {
		good: []string{"`POST /orders` (role: clerk)", "`DELETE /orders/1` needs the owner's token.", "`GET /orders`"},
		bad:  []string{"`POST /orders` creates an order.", "| PATCH `/orders/1` | changes it |"},
	},
	"Images and actions": {
		good: []string{fence("Dockerfile", "FROM alpine:3.20"), fence("yaml", "image: \"app@sha256:00\"\n- uses: actions/checkout@v4"), "Never deploy `app:latest`."},
		bad:  []string{fence("Dockerfile", "FROM node:latest"), fence("yaml", "    image: app:latest"), fence("yaml", "      - uses: actions/checkout@main")},
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
			r, err := program.Eval(check.Input{Bundle: map[string]any{"content": text}, Domain: map[string]any{}, Material: map[string]any{}})
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
	for _, c := range shadow.Categories() {
		if p.Len(c) < 3 {
			t.Errorf("%d criteria of %s: too few for a share", p.Len(c), c)
		}
	}
}
