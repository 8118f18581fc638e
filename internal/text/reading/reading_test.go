package reading

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/text/markdown"
	"github.com/swarmspeed/shadowd/internal/text/texttest"
)

const bundle = `# Search

## Retries

A failed batch goes back to the queue. The worker waits two seconds, then four, then eight, and gives up after
the fifth attempt; what it gave up is kept in a table of its own, with the error and the payload, and an alert
is raised when more than ten batches a minute end there.

## Left open

- Dashboard for the indexing lag: not started, the metrics are not exported yet.
- The capacity plan was postponed until the load test is over.

## Rollback

The mapping must never be deleted while the old index is in use. Documents that are not valid are rejected.
`

var items = []string{
	"Retry failed batches with growing waits and raise an alert",
	"Build a dashboard for the indexing lag",
	"Capacity plan",
	"Reject documents that are not valid",
	"Translate the onboarding videos for foreign subsidiaries",
	"Mapping file index_v2.json with its checksum",
}

func TestRead(t *testing.T) {
	got := New(&Work{Content: markdown.Parse(bundle), Status: "success"}).Read(Prepare(items))
	want := []Reading{
		{Found, 3, "Retries", "lines 3 to 7 treat it"},
		{Declined, 11, "Dashboard for the indexing lag: not started, the metrics are not exported yet.", "line 11 says that it was not done"},
		{Declined, 12, "The capacity plan was postponed until the load test is over.", "line 12 says that it was not done"},
		{Unread, 0, "", "no passage tells surely whether it was done"},
		{Unread, 0, "", "no passage tells surely whether it was done"},
		{Missing, 0, "", "nothing in the text names index_v2.json"},
	}
	for i := range want {
		if want[i].Verdict == Found {
			got[i].Line, got[i].Passage, got[i].Why = want[i].Line, want[i].Passage, want[i].Why
		}
		if got[i] != want[i] {
			t.Errorf("%s: %+v, want %+v", items[i], got[i], want[i])
		}
	}
}

func verdict(content, summary, status, item string) Reading {
	return New(&Work{Content: markdown.Parse(content), Summary: markdown.Parse(summary), Status: status}).Read(Prepare([]string{item}))[0]
}

func TestStatus(t *testing.T) {
	const steps = "# Work\n\nThe table is there.\n\n## Next steps\n\n- Load test of the checkout\n"
	for _, c := range []struct {
		status, text string
		want         Verdict
	}{
		{"success", steps, Unread}, {"partial", steps, Declined}, {"failed", steps, Declined},
		{"success", "# Work\n\nThe disk of the machine was full, and that was that.", Unread},
		{"partial", "# Work\n\nThe disk of the machine was full, and that was that.", Unread},
		{"failed", "# Work\n\nThe disk of the machine was full, and that was that.", Declined},
	} {
		if got := verdict(c.text, "", c.status, "Load test the checkout"); got.Verdict != c.want {
			t.Errorf("%s, %q: %+v, want %s", c.status, c.text, got, c.want)
		}
	}
	if got := verdict("# Work\n\nDone.", "The load test of the checkout is still outstanding.", "success", "Load test the checkout"); got.Verdict != Declined || got.Line != 0 || !strings.HasPrefix(got.Why, "the summary ") {
		t.Errorf("the summary says that it was not done, got %+v", got)
	}
}

func TestEvidenceElsewhere(t *testing.T) {
	const text = bundle + "\n## Notes\n\nThe alert for failed batches was not tested.\n"
	if got := New(&Work{Content: markdown.Parse(text), Status: "success"}).Read(Prepare(items))[0]; got.Verdict == Declined || got.Verdict == Missing {
		t.Errorf("a passage treats it: %+v", got)
	}
}

func TestOtherLanguage(t *testing.T) {
	text := strings.Repeat("Der Index wird jede Nacht neu gebaut, und der alte bleibt eine Woche lang liegen, falls etwas schiefgeht. ", 6)
	for i, got := range New(&Work{Content: markdown.Parse(text), Status: "success"}).Read(Prepare(items)) {
		if got.Verdict != Unread && !strings.Contains(items[i], "_") {
			t.Errorf("%s: %+v", items[i], got)
		}
	}
}

func TestEcho(t *testing.T) {
	for _, prefix := range []string{"- ", "- [x] ", "✅ ", "Done: ", "## ", "We have completed this: ", "1. "} {
		for _, order := range []func(string) string{strings.Clone, backwards} {
			var b strings.Builder
			for _, it := range items {
				b.WriteString(prefix + order(it) + "\n\n")
			}
			for i, got := range New(&Work{Content: markdown.Parse(b.String()), Status: "success"}).Read(Prepare(items)) {
				if got.Verdict != Unread {
					t.Errorf("%q before %s: %+v", prefix, items[i], got)
				}
			}
		}
	}
}

func backwards(s string) string {
	f := strings.Fields(s)
	for i := range len(f) / 2 {
		f[i], f[len(f)-1-i] = f[len(f)-1-i], f[i]
	}
	return strings.Join(f, " ")
}

func TestRefusal(t *testing.T) {
	for _, format := range []string{"I was unable to %.", "- We could not %", "I did not %, since there was no time.", "- %: not done", "| % | skipped |"} {
		var b strings.Builder
		refused := []string{items[0], items[1], items[3], items[4]}
		for _, it := range refused {
			b.WriteString(strings.Replace(format, "%", strings.ToLower(it[:1])+it[1:], 1) + "\n\n")
		}
		for i, got := range New(&Work{Content: markdown.Parse(b.String()), Status: "success"}).Read(Prepare(refused)) {
			if got.Verdict != Declined {
				t.Errorf("%q of %s: %+v", format, refused[i], got)
			}
		}
	}
}

// A text that says that nothing was done, and no more, is about all items. An
// empty one delivers none.
func TestBlanket(t *testing.T) {
	for text, want := range map[string]Verdict{
		"We did not do any of this. Nothing was implemented.":   Declined,
		"# Billing\n\nNone of it was done.":                     Declined,
		"I was not able to complete any of the work.":           Declined,
		"Nothing has been started yet.":                         Declined,
		" \n":                                                   Missing,
		"All of it was done. Nothing was left out.":             Unread,
		"Nothing was implemented. The ledger is in the folder.": Unread,
		"Everything was implemented and tested.":                Unread,
	} {
		for i, got := range New(&Work{Content: markdown.Parse(text), Status: "success"}).Read(Prepare(items[:3])) {
			if got.Verdict != want {
				t.Errorf("%q of %s: %+v", text, items[i], got)
				break
			}
		}
	}
}

// That something is not there is what some items ask for. That it was not removed
// is a refusal.
func TestWanted(t *testing.T) {
	for text, want := range map[string]Verdict{
		"No recipe contains nuts or nut oil.":        Unread,
		"Nuts are not in any of the recipes.":        Unread,
		"I was unable to leave nuts out of recipes.": Declined,
	} {
		if got := New(&Work{Content: markdown.Parse(text), Status: "success"}).Read(Prepare([]string{"Leave out nuts from recipes", "Count calories"}))[0]; got.Verdict != want {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

// The same words under each item treat none of them.
func TestFiller(t *testing.T) {
	const filler = "Mountain rivers carry silver pebbles toward quiet villages where bakers, tailors and clockmakers greet every traveller before sunrise.\n\n"
	for _, f := range runFiles() {
		for _, d := range readRun(t, f) {
			var b strings.Builder
			for _, it := range d.items {
				b.WriteString("## " + it + "\n\n" + filler)
			}
			for i, got := range New(&Work{Content: markdown.Parse(b.String()), Status: "success"}).Read(Prepare(d.items)) {
				if got.Verdict == Found {
					t.Errorf("%s: %s: %+v", d.name, d.items[i], got)
				}
			}
		}
	}
}

// TestPhrasings holds tables of phrasings, which have a line each: form, item,
// its kind, text. least is how many of the items are read as declined, most how
// many may be.
func TestPhrasings(t *testing.T) {
	for _, c := range []struct {
		file        string
		least, most int
	}{
		{"not-done.tsv", 214, 231},
		{"done.tsv", 0, 0},
		{"delivered.tsv", 0, 0},
		{"spent-not-done.tsv", 1473, 2150},
		{"spent-done.tsv", 0, 20},
		{"spent-content.tsv", 0, 0},
	} {
		raw, err := os.ReadFile("testdata/" + c.file)
		if err != nil {
			t.Fatal(err)
		}
		declined, n := 0, 0
		for line := range strings.Lines(string(raw)) {
			form, item, text := readPhrasing(strings.TrimRight(line, "\n"))
			if n++; New(workOf(form, text, "success")).Read(Prepare([]string{item}))[0].Verdict == Declined {
				declined++
			}
		}
		if declined < c.least || declined > c.most {
			t.Errorf("%s: %d of %d are declined, want %d to %d", c.file, declined, n, c.least, c.most)
		}
	}
}

// A passage that says that something was done and names all of an item that a
// cue names, and more, takes the cue away. One that names other parts does not.
func TestOutdone(t *testing.T) {
	for _, c := range []struct {
		item, text string
		want       Verdict
	}{
		{"Add CSV import for contacts", "- [x] CSV import for contacts\n- [ ] CSV import for deals", Unread},
		{"Add CSV import for deals", "- [x] CSV import for contacts\n- [ ] CSV import for deals", Declined},
		{"Add CSV import for contacts", "The CSV import for contacts is live. The CSV import for deals was not implemented.", Unread},
		{"Write a rollback plan with a contact list", "- Write a rollback plan with a contact list\n- Run the drill\n\nThe rollback plan was not written.", Declined}, // an echo speaks for nothing
		{"Image upload with virus scanning", "- [x] Image upload\n- [ ] Virus scanning", Declined},
		{"Proofread chapters four to nine", "- Chapters 1 to 3 proofread\n- Chapters 4 to 9: not started", Declined},
	} {
		if got := verdict(c.text, "", "success", c.item); got.Verdict != c.want {
			t.Errorf("%q of %s: %+v, want %s", c.text, c.item, got, c.want)
		}
	}
}

// TestProvided: "provided" begins a condition in few places, "until" and "once"
// may end a cue, a header and the cell of a note name one item together, what is
// struck out may be done, and a label is no claim.
func TestProvided(t *testing.T) {
	for _, c := range []struct {
		item, text string
		want       Verdict
	}{
		{"Provide sample data for the workshop", "Sample data for the workshop was not provided.", Declined},
		{"Provide sample data for the workshop", "Sample data for the workshop could not be provided.", Declined},
		{"Set up alerts for queue depth and consumer lag", "- Alerts on queue depth and lag: deferred until we know what is normal", Declined},
		{"Deferred loading of the charts", "Charts are now deferred until they scroll into view.", Unread},
		{"Provide sample data for the workshop", "- Sample data for the workshop (missing)", Declined},
		{"Compare the five bids for the roof", "Nobody compared the five bids for the roof.", Declined},
		{"Check the site for accessibility problems", "## Items not completed\n\n- Accessibility check of the site", Declined},
		{"Add Spanish subtitles to the training videos", "| Language | Subtitles |\n|---|---|\n| English | ready |\n| Spanish | not produced |", Declined},
		{"Order replacement filters for the ventilation", "- ~~Order filters~~ ordered 3 May, the old ones are not to be reused", Unread},
		{"Order replacement filters for the ventilation", "- ~~Order filters~~ the supplier is closed", Declined},
		{"GPX tracks of all stages", "**GPX tracks.** Not recorded, as my device failed on day 2.", Declined},
		{"Inspect the roof drainage", "**Roof drainage.** I couldn't inspect it: no scaffold on the east side.", Declined},
		{"Inspect the roof drainage", "**Roof drainage.** Inspected on 3 May. The gutters of the shed were not inspected.", Unread},
	} {
		if got := verdict(c.text, "", "success", c.item); got.Verdict != c.want {
			t.Errorf("%q of %s: %+v, want %s", c.text, c.item, got, c.want)
		}
	}
}

// That none was found is a result: nothing says that the search was not made.
func TestNoneFound(t *testing.T) {
	for item, text := range map[string]string{
		"Run a dependency audit":                  "- Dependency audit: no known vulnerabilities",
		"Regression test the checkout":            "## Regression test of the checkout\n\nNo regressions. All 214 tests pass.",
		"Assess the impact on existing customers": "## Impact on existing customers\n\nThere is no impact on existing customers: the old endpoints stay.",
		"Analyse side effects of the vaccine":     "## Side effects of the vaccine\n\nNo serious side effects were reported in 1,204 patients.",
		"Check the pages for broken links":        "| Check | Result |\n|---|---|\n| Broken links on pages | 0 |",
		"Scan the repository for secrets":         "| Scan | Result |\n|---|---|\n| Secrets in the repository | none found |",
	} {
		if got := verdict(text, "", "success", item); got.Verdict == Declined || got.Verdict == Missing {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

// TestHostile reads texts made to be slow. It would take minutes if the time
// were not linear.
func TestHostile(t *testing.T) {
	for name, s := range texttest.Hostile(texttest.Size) {
		d := markdown.Parse(s)
		if got := New(&Work{Content: d, Summary: d, Status: "partial"}).Read(Prepare(items)); len(got) != len(items) {
			t.Errorf("%s: %d readings", name, len(got))
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range append(texttest.Small, bundle) {
		f.Add(s, s, "Retry failed batches")
		f.Add(s, "not done: "+s, s)
		f.Add(s, s, "the AȺ") // longer in lower case
	}
	f.Fuzz(func(t *testing.T, content, summary, item string) {
		w := &Work{Content: markdown.Parse(content), Summary: markdown.Parse(summary), Status: "failed"}
		asked := Prepare([]string{item, item, ""})
		r := New(w)
		got := r.Read(asked)
		if again := r.Read(asked); !reflect.DeepEqual(got, again) {
			t.Errorf("%+v, then %+v", got, again)
		}
		for _, g := range got {
			if g.Line < 0 || g.Line > strings.Count(content, "\n")+1 || g.Why == "" {
				t.Errorf("%+v", g)
			}
		}
	})
}

// One of several identifiers in the work contradicts that none is named.
func TestMissingNamesNoneOfSeveral(t *testing.T) {
	const item = "Schemas orders_v2.json, returns_v3.json and refunds_v4.json validated by the warehouse owners against production traffic"
	for _, c := range []struct {
		content string
		want    Verdict
	}{
		{"# Plan\n\nThe team met on Tuesday and drew the landscape.\n", Missing},
		{"# Plan\n\nThe team met on Tuesday and drew orders_v2.json.\n", Unread},
	} {
		if got := verdict(c.content, "", "success", item); got.Verdict != c.want {
			t.Errorf("%q: %+v, want %v", c.content, got, c.want)
		}
	}
}

// What a code or a message stands for says nothing of the work.
func TestDefined(t *testing.T) {
	for _, c := range []struct {
		text string
		want Verdict
	}{
		{"| code | meaning |\n|---|---|\n| E-ENC | encoding not detected |", Unread},
		{"| Error | Description |\n|---|---|\n| E-ENC | encoding not detected |", Unread},
		{"| Exit code | When |\n|---|---|\n| 3 | the encoding was not detected |", Unread},
		{"| No | Message |\n|---|---|\n| 3 | Encoding not detected |", Unread},
		{"| Part | Notes |\n|---|---|\n| importer | encoding not detected yet |", Declined},
		{"| Code | Status |\n|---|---|\n| detection of the encoding | not done |", Declined},
	} {
		if got := verdict(c.text, "", "success", "Detect the encoding of a file"); got.Verdict != c.want {
			t.Errorf("%q: %+v, want %s", c.text, got, c.want)
		}
	}
}

// TestConditions: what decides in few of the labelled texts still decides.
func TestConditions(t *testing.T) {
	for _, c := range []struct {
		item, text string
		want       Verdict
	}{
		{"CSV import", "| CSV import | no |", Declined}, // a table without a header
		{"CSV import", "| CSV import | none |", Declined},
		{"CSV import", "| # | a |\n|---|---|\n| CSV import | x | y | no |", Unread},
		{"CSV import", "## CSV import\n\nWorks for all files.\n\nOpen points\n\n- None", Unread},
		{"CSV import", "## CSV import\n\nOpen items\n\n- Retry on errors", Unread},
		{"CSV import", "~~CSV import: not done~~ CSV import works now.", Unread},
		{"Training workshop", "The training workshop was held over two days in May.", Unread},
		{"Training workshop", "The training workshop has been held over, as the room is taken.", Declined},
		{"CSV import", "| Task | Effort |\n|---|---|\n| ~~CSV import~~ | 2 h |", Unread},
		{"Add a no-show report", "We have a no-show report.", Unread},
		{"Implement the refresh endpoint", "If the token is expired the gateway answers 401, but the refresh endpoint was not implemented.", Declined},
	} {
		if got := verdict(c.text, "", "success", c.item); got.Verdict != c.want {
			t.Errorf("%q of %s: %+v, want %s", c.text, c.item, got, c.want)
		}
	}
}

// TestPublic: what holds of the matter, for its reader, under a condition or as
// an example says nothing of the work.
func TestPublic(t *testing.T) {
	read := func(item, text string) Verdict { return verdict(text, "", "success", item).Verdict }
	for _, c := range []struct{ item, text string }{
		{"Record of consent", "The record of consent need not be published."},
		{"Comment field", "The comment field is allowed to be empty."},
		{"Deployment of the gateway", "A deployment of the gateway may appear to be stuck in the queue."},
		{"Ticket template", "You have not filled in the ticket template, so it comes back."},
		{"Copy of the mirror", "The check ensures that the mirror was copied by us and has not been altered since."},
		{"Lookup of the route", "In the second example the lookup of the route has not been configured."},
		{"Separate settings for guests", "We don't have separate settings for guests."},
		{"Invoice lines", "Invoice lines will be imported by the nightly job."},
		{"Account with this number", "An account with this number does not exist."},
		{"Tests of private methods", "Never test private methods."},
		{"Empty selection", "The button does nothing for an empty selection."},
	} {
		if got := read(c.item, c.text); got == Declined {
			t.Errorf("%q of %s: %s", c.text, c.item, got)
		}
	}
	for _, c := range []struct{ item, text string }{
		{"Support for Safari", "Support for Safari is out of scope for now."},
		{"Support for Safari", "- Support for Safari: out of scope for now"},
		{"Integration tests", "Integration tests lack entirely."},
		{"Load test of the checkout", "The load test of the checkout turned out to be impossible."},
		{"Capacity plan", "## Capacity plan\n\nTo be supplied in a follow-up."},
		{"Load test of the checkout", "The load test of the checkout still needs to be written."},
	} {
		if got := read(c.item, c.text); got != Declined {
			t.Errorf("%q of %s: %s", c.text, c.item, got)
		}
	}
}
