package passage

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/swarmspeed/shadowd/internal/text/fold"
)

func TestShown(t *testing.T) {
	for in, want := range map[string]string{
		"plain text, <b>bold</b>, a < b && c > d, x[0] || y": "plain text, <b>bold</b>, a < b && c > d, x[0] || y",
		"cout << begin;":                               "cout << begin;",
		"<<endpoint>> x":                               "<<endpoint>> x",
		"a <- b |> f <| g":                             "a <- b |> f <| g",
		"1 << 3 >> 2, >>> print":                       "1 << 3 >> 2, >>> print",
		"Größe, 設計, عربي, e\u0301":                     "Größe, 設計, عربي, e\u0301",
		"a\r\nb\rc\u2028d\u0085e":                      "a\nb\nc\nd\ne",
		"tab\tstays":                                   "tab\tstays",
		"in\u200bvisi\u00adble\ufeff \U000e0041\ufe0f": "invisible ",
		"\u202eturned\u202c\x1b[2J\x00":                "turned[2J",
		"<|im_start|>system":                           "‹¦im_start¦›system",
		"<|IM_Start|> <| end |>":                       "‹¦IM_Start¦› ‹¦ end ¦›",
		"<|im\u200b_start|>":                           "‹¦im_start¦›",
		"\uff1c\uff5cUser\uff5c\uff1e":                 "‹¦User¦›",
		"<|<|im_end|>|>":                               "<|‹¦im_end¦›|>",
		"<|іm_ѕtаrt|>":                                 "‹¦іm_ѕtаrt¦›",
		"[INST] [/INST] [0]":                           "⟦INST⟧ ⟦/INST⟧ [0]",
		"<<SYS>></s><s><eos>":                          "‹‹SYS››‹/s›‹s›‹eos›",
		"<</SYS>> <think>":                             "‹‹/SYS›› ‹think›",
		"<start_of_turn>model":                         "‹start_of_turn›model",
		"<<<END content abc>>>":                        "‹‹‹END content abc›››",
		"<<<<<END content abc>>>>":                     "<<‹‹‹END content abc››››",
		"‹‹‹ЕND content›››":                            "‹‹‹ЕND content›››",
		"<< /begin it >> x":                            "‹‹ /begin it ›› x",
		"<<< BEGIN":                                    "‹‹‹ BEGIN",
		"]~b]user x ]~!b[ [e~[":                        "⟧~b⟧user x ⟧~!b⟦ ⟦e~⟦",
		"<|turn>model <turn|> <|think|>":               "‹¦turn›model ‹turn¦› ‹¦think¦›",
		"[|assistant|] [|endofturn|]":                  "⟦¦assistant¦⟧ ⟦¦endofturn¦⟧",
		"<seed:bos></minimax:tool_call>":               "‹seed:bos›‹/minimax:tool_call›",
		"<extra_id_1>System <SPECIAL_10>":              "‹extra_id_1›System ‹SPECIAL_10›",
		"<unused0><reserved_106><TOKENS_UNUSED_1>":     "‹unused0›‹reserved_106›‹TOKENS_UNUSED_1›",
		"<eoh> <fim_prefix> <EOP_TOKEN> <arg_key>":     "‹eoh› ‹fim_prefix› ‹EOP_TOKEN› ‹arg_key›",
		"df[,1]~df[,2], [|1; 2|], f <|g, <api_token>":  "df[,1]~df[,2], [|1; 2|], f <|g, <api_token>",
		"<h1>, List<uint8>, <sha256>, <aside> a]~b[1]": "<h1>, List<uint8>, <sha256>, <aside> a]~b[1]",
		"bad \xff\xfe bytes":                           "bad \ufffd\ufffd bytes",
	} {
		if got := New(in).Shown(); got != want {
			t.Errorf("%+q\n got %+q\nwant %+q", in, got, want)
		}
	}
}

func TestImitates(t *testing.T) {
	for in, want := range map[string]bool{
		"": false, "\ufeff# Plan": false, "a\r\nb": false, "soft\u00adhyphen": false, "x <b>y</b> [1] <T>": false,
		"👩\u200d💻 ❤\ufe0f 👍🏽\u200d 🏴\U000e0067\U000e0062\U000e007f 1\ufe0f\u20e3": false,
		"می\u200cخواهم \u200f(API)\u200f":                                         false, "क्\u200dष": false, "ไทย\u200bภาษา": false, "葛\U000e0100": false,
		"a\u200bb": true, "a\u202eb": true, "a\u2066b": true, "a\U000e0041b": true, "x\ufeffy": true, "\x1b[8m": true, "a\u200db": true,
		"a\ufe0f\ufe01\ufe02": true, "left\u200emark": true, "<|im_end|>": true, "<think>": true, "<<<END x>>>": true, "a\u2060b": true, "\u3164": true,
	} {
		if got := New(in).Imitates(); got != want {
			t.Errorf("%+q imitates: %v", in, got)
		}
	}
}

const work = `# Session plan

Tokens **expire** after one hour; the ` + "`jwt-service.ts`" + ` answers “expired” tokens
with 401 — al` + "\u00ad" + `ways. See [the runbook](https://example.org/run_book(1)) and ![a chart](c.png) for 1.5 hours.

## Costs & limits

| Option | Cost (€) | Share | snake_case |
|:-------|---------:|:-----:|------------|
| Redis  | 1,200 €  | 22%   | ` + "`max_age`" + ` |
| **Postgres** | 300 € | 78 % | \*starred\* &amp; more |

1. Write the *schema* for users
2. Review it with the team
   - [x] Load test at 500 req/s
   - [ ] Failover drill is planned<br>for May

> The owner signs off every release.

~~~go
# not a heading in code
func main() { x := a[0](b); if x <= 5 && y != 3 {} }
~~~

Sign-off is non-compliant with ISO. Don't retry below -5 °C, or x < 3.
Größe der Tabelle: 10–20 MB. 会话令牌在一小时后过期，并返回四零一状态码。
The <|im_start|> token stands here, on one line.
`

func TestFind(t *testing.T) {
	x := New(work)
	for quote, want := range map[string]string{
		"Tokens **expire** after one hour; the `jwt-service.ts` answers": "", "Tokens expire after one hour": "", "tokens expire after one hour.": "",
		"answers \"expired\" tokens with 401 - always": "", "“Tokens expire after one hour”": "", "'Tokens expire after one hour'": "",
		"Line 3: Tokens expire after one hour": "", "L12: Tokens expire after one hour": "", "lines 3-4 | Tokens expire after one hour": "", "Zeile 3: „Tokens expire after one hour“": "",
		"Tokens expire after one hour; the jwt-service.ts answers …": "", "See the runbook and a chart for 1.5 hours": "", "See the runbook and for 1.5 hours": "",
		"See [the runbook](https://example.org/run_book(1)) and ![a chart](c.png)": "",
		"| Redis | 1,200 € | 22% | max_age |":                                      "Redis  | 1,200 €  | 22%   | `max_age`", "Redis, 1,200 €, 22%": "", "Redis 1,200 EUR 22 %": "", "Redis | EUR": "-", "redis, 1,200EUR": "",
		"Postgres | 300 € | 78% | *starred* & more": "", "Option, Cost (EUR), Share, snake_case\nRedis, 1,200 €": "",
		"Write the schema for users": "", "1. Write the *schema* for users\n2. Review it": "", "Write the schema for users\nReview it with the team": "", "Write the schema for users 2. Review it": "",
		"- [x] Load test at 500 req/s": "", "* Load test at 500 req/s\n* Failover drill is planned for May": "", "Failover drill is planned<br>for May": "",
		"> The owner signs off every release": "", "The owner signs off every release!": "",
		"```go\nfunc main() { x := a[0](b); if x <= 5 && y != 3 {} }\n```": "", "if x &lt;= 5 &amp;&amp; y != 3": "",
		"Don’t retry below −5 °C": "", "Größe der Tabelle: 10-20 MB": "", "Gro\u0308ße der Tabelle": "", "会话令牌在一小时后过期": "会话令牌在一小时后过期", "“会话令牌在一小时后过期，并返回四零一状态码”": "",
		"Tokens expire after one hour … tokens with 401": "", "Tokens expire after one hour [...] answers “expired” tokens ... See the runbook and": "",
		"| Option | Cost (€) | Share | … | **Postgres** | 300 € | 78% |": "", "Write the schema for users ... Failover drill is planned": "", `Write the schema for users\nReview it`: "",
		"会话令牌在一小时……并返回四零一状态码": "",
		// Others' words, halves, distant or disordered pieces.
		"Tokens expire after two hours": "-", "Tokens will expire after one hour": "-", "TOKENS expire after one hour": "-", "Tokens expire after one": "Tokens **expire** after one", "okens expire after one hour": "-",
		"compliant with ISO": "-", "service.ts answers": "-", "a chart for 1": "-", "5 hours.": "-", "retry below 5 °C": "-", "x > 3": "-", "20 MB": "-", "1200 €": "-", "cost eur": "-",
		"Tokens expire after one hour … The owner signs off every release": "-", "answers “expired” tokens with … Tokens expire after one hour": "-", "Tokens expire … with 401": "-", "Failover drill is planned … Write the schema for users": "-",
		"": "-", "**": "-", "…": "-", " | ": "-", "Line 3:": "-",
	} {
		p, ok := x.Find(quote)
		if ok != (want != "-") || ok && want != "" && work[p.From:p.To] != want {
			t.Errorf("%q: found %v as %q", quote, ok, work[p.From:p.To])
		}
		if again, ok2 := x.Find(work[p.From:p.To]); ok && !strings.Contains(quote, "…") && !strings.Contains(quote, "..") && (!ok2 || again != p) {
			t.Errorf("%q: %q is at %+v, not %+v", quote, work[p.From:p.To], again, p)
		}
	}
}

func TestPlace(t *testing.T) {
	x := New(work + "\nTitle of it\n===\n\nSession plan is a title too.\n- a dash list\n---\n")
	for quote, want := range map[string]Place{
		"Costs & limits": {Line: 6, Heading: true}, "## Costs and limits": {}, "not a heading in code": {Line: 21},
		"Session plan": {Line: 32}, "Title of it": {Line: 29, Heading: true}, "a dash list": {Line: 33}, "Costs & limits Option Cost": {Line: 6},
		"token stands here": {Line: 27, Masked: true}, "The ‹¦im_start¦› token": {Line: 27, Masked: true}, "with 401 — always": {Line: 4}, "Größe der Tabelle": {Line: 26},
	} {
		p, ok := x.Find(quote)
		if p.From, p.To = 0, 0; p != want || ok != (want.Line > 0) {
			t.Errorf("%q: %+v, %v", quote, p, ok)
		}
	}
	if p, ok := New("a\n# only a heading\nb").Find("only a heading"); !ok || !p.Heading || p.Line != 2 {
		t.Errorf("%+v", p)
	}
}

// FuzzText: what is shown holds nothing unseen, whole words of it are found again,
// and a place is one of the original.
func FuzzText(f *testing.F) {
	f.Add(work, 3, 20)
	f.Add("<<<END00 of it b00>>>\n", 0, 20)
	f.Add("a\r\n\xffb\u202e<|x|> -1,5 [a](b) ![c](d) 5EUR", 0, 9)
	f.Fuzz(func(t *testing.T, text string, from, n int) {
		x := New(text)
		out := x.Shown()
		if !utf8.ValidString(out) || strings.ContainsFunc(out, func(r rune) bool { return fold.Unseen(r) || r == '\r' }) {
			t.Errorf("shown %+q", out)
		}
		words := strings.Fields(out)
		if len(words) == 0 {
			return
		}
		from = max(from, -from, 0) % len(words)
		quote := strings.Join(words[from:min(from+max(n, 0)%50, len(words))], " ")
		for _, q := range []string{quote, text} {
			p, ok := x.Find(q)
			if !ok {
				continue
			}
			if p.From < 0 || p.From >= p.To || p.To > len(text) || p.Line != 1+strings.Count(text[:p.From], "\n") {
				t.Fatalf("%+q: %+v of %d", q, p, len(text))
			}
			if _, ok := x.Find(text[p.From:p.To]); !ok && !p.Masked {
				t.Errorf("%+q is found and as %+q not", q, text[p.From:p.To])
			}
		}
	})
}
