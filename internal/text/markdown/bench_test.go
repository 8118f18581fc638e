package markdown

import (
	"strings"
	"testing"
)

// benchText is a document of about 800 words with what people write in
// reports: headings, paragraphs, lists, a table, code and links.
var benchText = strings.Repeat(`## Rate limits

The gateway counts requests in a **sliding window** of one minute. A client that goes over its share gets status 429
with the header `+"`Retry-After`"+`, and it may try again when that time is over. We chose this over a fixed window, because
a fixed window lets twice the share pass around its edge.

Decisions:

1. Count by key, not by address. Many users share one address.
2. Keep the counters in *one* store, so that all gateways see the same figure.
   - The store is asked once for each request.
   - When it is down, requests pass, and a warning is logged.
3. Report usage at [the usage page](https://example.org/usage).

| Plan  | Requests per minute | Burst |
|-------|--------------------:|------:|
| Free  | 60                  | 10    |
| Team  | 600                 | 100   |

`+"```go\nfunc allow(key string) bool {\n\treturn count(key) < limit\n}\n```"+`

Open questions are what to do with clients that never wait (see snake_case and 2 * 3), and who pays for the store. Each of
them needs an answer from the product team before the end of the month.

`, 5)

func BenchmarkParse(b *testing.B) {
	b.SetBytes(int64(len(benchText)))
	b.ReportAllocs()
	for b.Loop() {
		Parse(benchText)
	}
}
