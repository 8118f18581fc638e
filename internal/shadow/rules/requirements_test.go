package rules

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

func TestRequirements(t *testing.T) {
	d := &shadow.Decomposition{
		Requirements: []shadow.Requirement{{ID: "R-1", Text: "Uploads have at most 20 MB."}},
		Specification: `# Uploads

Uploads MUST have at most 20 MB. The table ` + "`upload_parts`" + ` holds one row for each part. If the disk is full, the upload is refused with 507.
If we had more time, we would resume uploads. When did uploads fail last year? FR-2: Names MUST be kept. The service must not be slow.
The old table ` + "`legacy_files`" + ` is not used.

| Id | Requirement | Priority |
|---|---|---|
| FR-3 | Virus scans run before a file is shown | must |
| FR-4 | Thumbnails are made | could |

## Out of scope

Video MUST be handled by another team.
`}
	var got []string
	for _, r := range requirementsOf(d, lexicon{}) {
		line := r.id + ": " + r.phrase
		if r.condition {
			line += " (condition)"
		}
		got = append(got, line)
	}
	want := []string{
		"R-1: Uploads have at most 20 MB",
		": If the disk is full, the upload is refused with 507 (condition)",
		"FR-2: Names MUST be kept",
		"FR-3: Virus scans run before a file is shown",
		"specification: upload_parts",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A criterion names the numbered requirements that it asks for, in whatever
// item they stand, and no criterion names what nobody is asked for.
func TestRequirementIDs(t *testing.T) {
	d := &shadow.Decomposition{
		Specification: "FR-9: Every refund MUST name the order it belongs to.",
		Requirements: []shadow.Requirement{
			{ID: "R-1", Text: "Refunds are paid out within 14 days."},
			{ID: "R-2", Text: "When a refund fails, the customer is told by mail."},
			{ID: "R-3", Text: "Write the refund journal"},
			{ID: "R-4", Text: "The moon MUST be painted green by night."},
		},
		Domains: []shadow.Domain{
			{Domain: "refunds", SubTasks: []string{"Pay refunds out within days", "Tell the customer by mail of a refund that fails", "Write the refund journal"}},
			{Domain: "ledger", SubTasks: []string{"Book every order twice"}},
		}}
	for seed := range uint64(20) {
		criteria, err := New(rand.NewChaCha8([32]byte{byte(seed)})).Write(context.Background(), d, map[shadow.Category]int{shadow.HappyPath: 2, shadow.EdgeCase: 2, shadow.ErrorHandling: 1, shadow.Completeness: 1})
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for i := range criteria {
			ids = append(ids, criteria[i].Requirements...)
		}
		slices.Sort(ids)
		if want := []string{"R-1", "R-2", "R-3"}; !slices.Equal(ids, want) {
			t.Fatalf("seed %d: criteria are about %q, want %q", seed, ids, want)
		}
	}
}

// A requirement that no item is about goes to the one domain whose words it
// uses, or under whose heading it stands, and to none in doubt.
func TestRoute(t *testing.T) {
	d := &shadow.Decomposition{
		Specification: "# Shop\n\n## Warehouse\n\nEvery pallet MUST carry a label.\n\n## General\n\nInvoices MUST be archived with the tax number.\n\nEverything MUST be blue.\n",
		Domains: []shadow.Domain{
			{Domain: "warehouse", TaskBrief: "Run the pallets.", SubTasks: []string{"Plan the shelves"}},
			{Domain: "billing", TaskBrief: "Send invoices.", SubTasks: []string{"Compute the tax", "Keep an archive"}},
		}}
	all, _ := assignments(d, false, lexicon{})
	of := func(i int) string {
		var out []string
		for _, m := range all[i] {
			for _, it := range m.items {
				out = append(out, it.phrase)
			}
		}
		return strings.Join(out, "; ")
	}
	if got, want := of(0), "Plan the shelves; Every pallet MUST carry a label"; got != want {
		t.Errorf("warehouse: %s", got)
	}
	if got, want := of(1), "Compute the tax; Keep an archive; Invoices MUST be archived with the tax number"; got != want {
		t.Errorf("billing: %s", got)
	}
}

// A condition stands where conditions are asked for, not with the task that it
// is about.
func TestConditions(t *testing.T) {
	d := &shadow.Decomposition{
		Specification: "If the payment provider is unavailable, the checkout keeps the basket and shows a notice.",
		Domains:       []shadow.Domain{{Domain: "checkout", SubTasks: []string{"Build the checkout page with the basket", "Translate the page"}}}}
	all, _ := assignments(d, false, lexicon{})
	last := all[0][len(all[0])-1]
	if last.category != shadow.ErrorHandling || len(last.items) != 1 || !strings.HasPrefix(last.items[0].phrase, "If the payment") {
		t.Errorf("got %+v", last)
	}
}

func TestNames(t *testing.T) {
	for text, want := range map[string][]string{
		"Create the table `refresh_tokens` and (docs/auth.md), then refreshToken.":          {"refresh_tokens", "docs/auth.md", "refreshToken"},
		"Built with Node.js on macOS for iPhone, see https://example.org/a_b.md or a@b.md.": nil,
		"Set MAX_CONNS in config.yml; and/or use e.g. the CSV, version 1.2":                 {"MAX_CONNS", "config.yml"},
		"Keep it in the `outbox`, (`inbox`): `not so`":                                      {"outbox", "inbox"},
		"refresh_tokens, Refresh_Tokens":                                                    {"refresh_tokens"},
	} {
		if got := namesIn(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// The names of a brief are asked for, unless an item has them or the brief
// says that they go.
func TestNamesOfTheBrief(t *testing.T) {
	d := &shadow.Decomposition{Domains: []shadow.Domain{{Domain: "d", TaskBrief: "Write `user_roles` and `audit_trail`. The seeds must fill `demo_users`. The code must never touch `old_roles`.",
		SubTasks: []string{"Fill the audit_trail on every change"}}}}
	all, _ := assignments(d, false, lexicon{})
	var got []string
	for _, m := range all[0] {
		if it := m.items[0]; it.kind == name {
			got = append(got, it.phrase+" "+string(m.category)+": "+it.message())
		}
	}
	want := []string{"user_roles completeness: Still to deal with, named in the brief: user_roles", "demo_users completeness: Still to deal with, named in the brief: demo_users"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestAlternatives(t *testing.T) {
	for phrase, want := range map[string][]string{
		"Write the revocation guide (docs/revocation.md)":      {"Write the revocation guide", "docs/revocation.md"},
		"Create the token table (refresh_tokens) by migration": {"Create the token table by migration"},
		"Enforce multi-factor authentication (MFA) for admins": {"Enforce multi-factor authentication for admins", "Enforce MFA for admins"},
		"Store the result (MFA)":                               nil,
		"Explain the plan (in two pages)":                      nil,
		"If a line cannot be read, it is skipped":              {"If a line malformed, it is skipped"},
		"Nothing in parentheses":                               nil,
	} {
		if got := alternatives(phrase); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", phrase, got, want)
		}
	}
}

func TestTongue(t *testing.T) {
	for text, foreign := range map[string]bool{
		"Write the migration guide and the changelog":                                          false,
		"Die Rechnungen werden für den Kunden und nicht für die Buchhaltung erzeugt":           true,
		"Los informes para el consejo se escriben con una tabla de las ventas por mes":         true,
		"用户登录功能必须支持双因素认证":                                                                      true,
		"Translate 'die Rechnung und der Vertrag' for the portal and write the glossary of it": false,
		"": false,
	} {
		if got := tongueOf(&shadow.Decomposition{Task: text}); got.foreign != foreign {
			t.Errorf("%q: foreign %v", text, got.foreign)
		}
	}
}

func TestTraces(t *testing.T) {
	for phrase, want := range map[string][]string{
		"Bedienung per Tastatur sicherstellen":  {"*bedien*", "*tasta*"},
		"Migrationsskript für die PDF-Ablage":   {"*migrat*", "*skrip*", "*pdf*", "*abla*"},
		"Rechnungen werden 10 Jahre aufbewahrt": {"*rechnu*", "10", "zehn", "diez", "dix", "dieci", "*jahr*", "*aufbew*"},
		"双因素认证":                                 {"*双因*", "*因素*", "*素认*", "*认证*"},
		"a b c":                                 nil,
	} {
		if got := tracesOf(phrase, nil); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", phrase, got, want)
		}
	}
	if got := countTraces("The pilot runs for 2 heating seasons"); !slices.Equal(got, []string{"2", "*season*", "two"}) {
		t.Errorf("a count: %q", got)
	}
}

// A question that the listed items imply is not asked beside them.
func TestImplied(t *testing.T) {
	d := &shadow.Decomposition{Domains: []shadow.Domain{{Domain: "d", SubTasks: []string{"Reject invalid tokens"}}}}
	for n := range 300 {
		p := newPlan(d, map[shadow.Category]int{shadow.ErrorHandling: 4}, rand.New(rand.NewPCG(1, uint64(n))))
		for _, a := range p.asked {
			if a.question != nil && a.question.implied && a.question.category == shadow.ErrorHandling {
				t.Fatalf("draw %d asks %q beside the listed failures", n, a.question.words[0].assertion)
			}
		}
	}
}

func TestGeneric(t *testing.T) {
	quota := map[shadow.Category]int{shadow.HappyPath: 2, shadow.Completeness: 2}
	for _, c := range []struct {
		d       shadow.Domain
		generic int
	}{
		{shadow.Domain{Domain: "d"}, 4},
		{shadow.Domain{Domain: "d", SubTasks: []string{"Sort the list"}}, 3},
		{shadow.Domain{Domain: "d", SubTasks: []string{"Sort the list"}, Deliverables: []string{"the manual"}}, 2},
	} {
		criteria, err := New(rand.NewChaCha8([32]byte{1})).Write(context.Background(), &shadow.Decomposition{Domains: []shadow.Domain{c.d}}, quota)
		if err != nil {
			t.Fatal(err)
		}
		if got := Generic(criteria); got != c.generic {
			t.Errorf("%+v: %d are generic, want %d", c.d, got, c.generic)
		}
		// The operator is told where most are.
		if note := New(nil).Note(criteria); (note != "") != (c.generic > 2) {
			t.Errorf("%d of 4 are generic: note %q", c.generic, note)
		}
		for i := range criteria {
			criteria[i].Author = "ours"
		}
		if got := Generic(criteria); got != 0 {
			t.Errorf("%d criteria of another author count", got)
		}
	}
}
