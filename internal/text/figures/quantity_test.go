package figures

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/text/markdown"
)

func TestParse(t *testing.T) {
	for s, want := range map[string]Quantity{
		"1 hour":                 {Low: 3600, High: 3600, Of: "time"},
		"60 minutes":             {Low: 3600, High: 3600, Of: "time"},
		"at most 5 MB":           {Low: 5e6, High: 5 << 20, Of: "bytes", Bound: AtMost},
		"3 attempts":             {Low: 3, High: 3, Of: "attempt"},
		"3 failed attempts":      {Low: 3, High: 3, Of: "failed attempt"},
		"10 requests per second": {Low: 10, High: 10, Of: "request/time"},
		"600 requests/minute":    {Low: 10, High: 10, Of: "request/time"},
		"5 MB per user":          {},
		"99.5 %":                 {Low: 99.5, High: 99.5, Of: "%"},
		"1 month":                {Low: 28 * 86400, High: 31 * 86400, Of: "time"},
		"≥ 3":                    {Low: 3, High: 3, Bound: AtLeast},
		"200ms":                  {Low: 0.2, High: 0.2, Of: "time"},
		"1,200":                  {Low: 1200, High: 1200},
		"soon":                   {}, "": {}, "three": {}, "the 5 of them": {}, "RS256": {}, "2024-01-15": {},
	} {
		q, ok := Parse(s)
		if ok != (want != Quantity{}) || ok && (q.Low != want.Low || q.High != want.High || q.Of != want.Of || q.Bound != want.Bound) {
			t.Errorf("%q: %+v, %v", s, q, ok)
		}
	}
}

func TestRange(t *testing.T) {
	for _, c := range []struct {
		a, b  string
		meets bool
	}{
		{"1 hour", "60 minutes", true}, {"1 hour", "61 minutes", false}, {"1 month", "30 days", true}, {"12 months", "1 year", true},
		{"at least 95 %", "97 %", true}, {"97 %", "at least 95 %", true}, {"at least 95 %", "12 %", false}, {"at most 3 s", "at least 3000 ms", true},
		{"at most 3 s", "at most 5 s", true}, {"at most 5 s", "at most 3 s", true}, {"5 MB", "5 minutes", false}, {"3 attempts", "3 retries", false},
		{"0.1 s", "100 ms", true}, {"5 MB", "5 MiB", true},
	} {
		a, _ := Parse(c.a)
		b, _ := Parse(c.b)
		if m := meets(a, b); m != c.meets {
			t.Errorf("%s, %s: meets %v", c.a, c.b, m)
		}
	}
}

func meets(a, b Quantity) bool {
	_, ok := a.Range().And(b.Range())
	return ok
}

func states(text, phrase string) bool {
	stated, _ := Index(markdown.Parse(text)).States(phrase)
	return stated
}

func TestStates(t *testing.T) {
	for _, c := range []struct {
		phrase string
		holds  []string // texts that state the figure
		lacks  []string // texts that don't
	}{
		{"Access tokens expire after 1 hour",
			[]string{"expiry: 1h", "after one hour", "60 minutes", "3600", "3,600 s", "1-hour lifetime", "exp: now + 3600)", "**1** hour",
				"1\u00a0hour", "1.0 hours", "60 min."},
			[]string{"tokens expire", "11 hours", "1 day", "21h", "13600", "1,000 hours", "hours", "0.1 hours"}},
		{"Wait 30 minutes", []string{"30 min", "0.5 h", ".5 h", "1800 s"}, []string{"an hour", "130 minutes", "2.5 h"}},
		{"Partners get 60 days notice", []string{"60 days", "sixty (60) days", "two months", "60-day notice", "1440 hours"}, []string{"6 days", "160 days", "600", "1,060"}},
		{"Logs are kept for one year", []string{"1 year", "365 days", "12 months"}, []string{"1 day", "two years"}},
		{"Calls time out after 50 ms", []string{"50ms", "50 milliseconds", "0.05 s", "timeout: 50,"}, []string{"150 ms", "500 ms", "500", "1.50", "1,050"}},
		{"At most 15 ms added latency at the 99th percentile", []string{"15 ms", "takes 3 milliseconds", "9.5ms", "p99: 12ms", "below 10 ms"},
			[]string{"fast", "and so on", "an idea", "per s", "half a second", "200 ms", "at least 12 ms", "12 rows", "tried 3 times"}},
		{"At least 95% coverage", []string{"≥95%", "97 percent", "coverage 0.95", "coverage 0.97", "100 %", "at least 96 %", "over 95 %"},
			[]string{"well covered", "all of it", "95", "0.5", "12 %", "5-percent", "at most 97 %", "97 ms"}},
		{"Error rate below 2 %", []string{"1%", "0.02", "0.004", "under 1 %"}, []string{"0.2", "2 errors", "5 %", "more than 1 %"}},
		{"100 % of requests are logged", []string{"100%", "1.0"}, []string{"most requests", "99 %", "12 requests"}},
		{"The discount is 5 %", []string{"5%", "5 percent", "0.05", "at most 5 %"}, []string{"15 %", "50%", "five", "0.055"}},
		{"Clients retry at most 4 times", []string{"retries 4 times", "3 times", "tries three times"},
			[]string{"clients retry", "version 4", "a `Retry-After` header", "5 attempts", "retry ×7", "at least 3 attempts"}},
		{"Clients retry 4 times", []string{"four times", "at most 4 times"}, []string{"3 times", "retry ×3", "40 attempts", "4 attempts"}},
		{"The sweeper deletes at most 500 rows per batch", []string{"LIMIT 500", "500 rows", "100 rows"}, []string{"deletes rows in batches", "1500", "5000", "1. Rows", "rows.\n\n12", "600 rows"}},
		{"An import has 50,000 rows", []string{"50000", "50,000 rows", "50_000", "50’000"}, []string{"150,000", "5,000"}},
		{"Show 3 results", []string{"3 results", "three results", "`3` results"}, []string{"3 days", "13 results", "results", "35 results", "3 of the very best results"}},
		{"Keep 12 gigabytes", []string{"12 GB", "=12"}, []string{"twelve", "120", "0.12"}},
		{"Uploads have at most 5 MB", []string{"5 MB", "3 megabytes", "5,242,880 bytes", "512 KiB"}, []string{"5 minutes", "uploads are small", "5 Mbit", "7 MB", "3 GB"}},
		{"Uploads of 5 MB or less", []string{"5 MB", "3 megabytes"}, []string{"7 MB"}},
		{"Uploads must not exceed 5 MB", []string{"5 MB", "3 megabytes"}, []string{"7 MB"}},
		{"The cache takes 2 GB", []string{"2GB", "2 GiB", "2048 MB", "2,000 megabytes", "two gigabytes"}, []string{"2 TB", "20 GB", "2"}},
		{"The budget is $500", []string{"500 USD", "$500", "500 dollars", "$ 500.00", "500"}, []string{"$5", "$5,000", "50 USD"}},
		{"It costs 5 €", []string{"€5", "5 EUR", "five euros", "5.00 €"}, []string{"$5", "5", "€50"}},
		{"Spend at most $500", []string{"it costs $20", "20 dollars"}, []string{"20 €", "cheap", "$900"}},
		{"The link is 5 km long", []string{"5 km", "5000 metres", "5 kilometers"}, []string{"5 cm", "5 minutes"}},
		{"The line carries 2 Mbit", []string{"2 Mbps", "2000 kbit"}, []string{"2 MB", "2"}},
		{"The limit is 300 requests per minute", []string{"300 requests/min", "5 requests per second", "18,000 requests an hour"},
			[]string{"5 requests per minute", "5 requests", "3 requests per second", "5 errors"}},
		{"Wait 2 hours, then 5 minutes", []string{"2h", "5m"}, []string{"2 minutes"}},
	} {
		if !Has(c.phrase) {
			t.Errorf("%q: no quantity", c.phrase)
		}
		for _, s := range c.holds {
			if !states(s, c.phrase) {
				t.Errorf("%q: not recognised in %q", c.phrase, s)
			}
		}
		for _, s := range c.lacks {
			if states(s, c.phrase) {
				t.Errorf("%q: recognised in %q", c.phrase, s)
			}
		}
	}
}

func TestHas(t *testing.T) {
	for phrase, want := range map[string]bool{"Retry five times": true, "keep to 99.9 %": true, "Fits on one page": false, "Use HTTP 2 only": false,
		"Signatures use RS256": false, "No new dependencies": false, "Percentile 99th": false, "0 errors": false, "": false, "Released 2024-01-15": false} {
		if got := Has(phrase); got != want {
			t.Errorf("%q: %v", phrase, got)
		}
	}
}

// TestStatesItself: whatever quantities a phrase has, a text that repeats it
// states them.
func TestStatesItself(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("at most within 1 2 3.5 7 12 30 50 90 365 1,000 500000 hour hours day days ms s months weeks % percent rows times retries requests megabytes GB KiB km USD euros or and per connections")
	n := 0
	for range 8000 {
		s := make([]string, 2+r.IntN(14))
		for i := range s {
			s[i] = words[r.IntN(len(words))]
		}
		phrase := strings.Join(s, " ")
		if !Has(phrase) {
			continue
		}
		n++
		if !states(phrase, phrase) {
			t.Fatalf("%q does not state itself", phrase)
		}
	}
	if n < 2000 {
		t.Errorf("only %d phrases had quantities", n)
	}
}

// FuzzStates: tokens lie within the line, and a text that has a number with
// its unit is searched without harm.
func FuzzStates(f *testing.F) {
	for _, p := range []string{"Tokens expire after 1 hour", "at most 15 ms", "95% coverage", "four attempts", "50,000 rows", "twelve (12) months", "1 1 1", "³ 5’000 µs", "half an hour", "$5 or 5 €, 2 GB", "300 requests per minute", "5 km/h", "1.234,50 - -5 3x8 0x1F 1e9 10:30 2024-01-15", "half a", "x2 EUR 7,600", "0$0", "four$four"} {
		f.Add(p, "1,200.5 rows within ten minutes, every day: 100 %")
	}
	f.Fuzz(func(t *testing.T, phrase, text string) {
		states(text, phrase)
		at := 0
		for _, n := range numbers(phrase, 1000) {
			if n.from < at || n.to <= n.from || n.end < n.to || n.end > len(phrase) {
				t.Fatalf("%+v of %q", n, phrase)
			}
			at = n.end
		}
	})
}
