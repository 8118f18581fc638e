package quantity

import "testing"

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
		a, b          string
		meets, within bool
	}{
		{"1 hour", "60 minutes", true, true}, {"1 hour", "61 minutes", false, false}, {"1 month", "30 days", true, true}, {"12 months", "1 year", true, true},
		{"at least 95 %", "97 %", true, false}, {"97 %", "at least 95 %", true, true}, {"at least 95 %", "12 %", false, false}, {"at most 3 s", "at least 3000 ms", true, false},
		{"at most 3 s", "at most 5 s", true, true}, {"at most 5 s", "at most 3 s", true, false}, {"5 MB", "5 minutes", false, false}, {"3 attempts", "3 retries", false, false},
		{"0.1 s", "100 ms", true, true}, {"5 MB", "5 MiB", true, true},
	} {
		a, _ := Parse(c.a)
		b, _ := Parse(c.b)
		if m, w := meets(a, b), a.Range().Within(b.Range()); m != c.meets || w != c.within {
			t.Errorf("%s, %s: meets %v, within %v", c.a, c.b, m, w)
		}
	}
}

func meets(a, b Quantity) bool {
	_, ok := a.Range().And(b.Range())
	return ok
}
