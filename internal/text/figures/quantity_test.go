package figures

import "testing"

func TestParse(t *testing.T) {
	for s, want := range map[string]Range{
		"1 hour": {3600, 3600, "time"}, "60 minutes": {3600, 3600, "time"}, "1 month": {28 * 86400, 31 * 86400, "time"}, "200ms": {0.2, 0.2, "time"},
		"3 attempts": {3, 3, "attempt"}, "3 failed attempts": {3, 3, "failed attempt"}, "1,200": {1200, 1200, ""}, "$500": {500, 500, "usd"},
		"10 requests per second": {10, 10, "request/time"}, "600 requests/minute": {10, 10, "request/time"}, "36 km / h": {10, 10, "length/time"},
		"99.5 %": {99.5, 99.5, "%"}, "5 MB": {5e6, 5 << 20, "bytes"},
		"soon": {}, "": {}, "three": {}, "the 5 of them": {}, "RS256": {}, "2024-01-15": {}, "≥ 3": {}, "5 MB per user": {},
	} {
		got, ok := Parse(s)
		if ok != (want != Range{}) || ok && got != want {
			t.Errorf("%q: %+v, %v", s, got, ok)
		}
	}
}

func TestRange(t *testing.T) {
	for _, c := range []struct {
		a, b  string
		meets bool
	}{
		{"1 hour", "60 minutes", true}, {"1 hour", "61 minutes", false}, {"1 month", "30 days", true}, {"12 months", "1 year", true},
		{"5 MB", "5 minutes", false}, {"3 attempts", "3 retries", false}, {"0.1 s", "100 ms", true}, {"5 MB", "5 MiB", true},
	} {
		a, _ := Parse(c.a)
		b, _ := Parse(c.b)
		if _, meets := a.And(b); meets != c.meets {
			t.Errorf("%s, %s: meets %v", c.a, c.b, meets)
		}
	}
}

// FuzzNumbers: a number lies within its text.
func FuzzNumbers(f *testing.F) {
	for _, s := range []string{"1 hour", "15 ms", "50,000 rows", "³ 5’000 µs", "$5 or 5 €, 2 GB", "5 km/h", "1.234,50 - -5 3x8 0x1F 1e9 10:30 2024-01-15", "0$0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		Parse(s)
		for at := range len(s) {
			if !isDigit(s[at]) {
				continue
			}
			if n, ok := numberAt(s, at); ok && (n.from > at || n.to <= at || n.end < n.to || n.end > len(s)) {
				t.Fatalf("%+v of %q", n, s)
			}
		}
	})
}
