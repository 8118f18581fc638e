package arithmetic

import (
	"strings"
	"testing"
	"time"

	"github.com/swarmspeed/shadowd/internal/text/markdown"
	"github.com/swarmspeed/shadowd/internal/text/texttest"
)

func find(text string) []Finding { return Find(markdown.Parse(text)) }

// TestFind has a wrong and a right example of each relation.
func TestFind(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"The tray holds 6 × 7 = 45 cups.", `line 1: "6 × 7 = 45" should be 42`},
		{"The tray holds 6 × 7 = 42 cups.", ""},
		{"It takes 86400 / 12 = 7,300 slots.", `line 1: "86400 / 12 = 7,300" should be 7,200`},
		{"The address `2.1 - 0.3 = 2.1` stays.", ""},
		{"Set `n = 3 + 4 = 9` by hand.", ""},
		{"Disk: 5 GB / 10 = 512 MB, or 500 MB.", ""},
		{"We passed 18% (2 of 9 left out).", `line 1: "18% (2 of 9 left out)" should be 22%`},
		{"We passed 22% (2 of 9 left out).", ""},
		{"Of the 80 forms, 20 (30%) were late.", `line 1: "80 forms, 20 (30%)" should be 25%`},
		{"We use 70 % of the EUR 1,000 and keep them; EUR 200 left.", ""},
		{"20 of the 80 forms were late, a share of 30%.", `line 1: "20 of the 80 forms were late, a share of 30%" should be 25%`},
		{"Paying gives -500 - 200 = 700.", ""},
		{"| Step | Old | New | Gain |\n|---|---|---|---|\n| A | 9 | 3 | 3x |\n| B | 8 | 2 | 4x |\n| Total | 17 | 5 | 3.4x |\n", ""},
		{"| Post | Cost |\n|---|---|\n| A | 9 |\n| B | 8 |\n| C | 7 |\n| | |\n| Quarterly | 6 |\n| Total | 24 |\n", ""},
		{"A 16-bit head + 4-byte tail = 6 bytes.", ""},
		{"It takes 4 rooms × 5 m = 5 m.", ""},
		{"Now 24/7 = 168 hours.", ""},
		{"It takes 2 weeks × 3 builders = $60,000.", ""},
		{"A table of 65,536 × 4 entries = 256 KB, and 3 shifts/day × 10 nurses × 365 = 11,000 hours.", ""},
		{"We buy 3 desks × 40 = 210 planks.", ""}, // words part the numbers
		{"We keep 20% × 5% × 50 = 0.5, and 256×256=256 tiles, 192x48 = 4 frames.", ""},
		{"| Wood | Total now |\n|---|---|\n| Oak | 12 |\n| of it old | 8 |\n| Elm | 30 |\n| Total wood | 42 |\n", ""},
		{"A grid of 5,000×500 = 0.02 s, and 2/5 rooms are shut (wing A 70%).", ""},
		{"The price of $5/10K calls (70% less).", ""},
		{"The price is 2.400 × $39 = $93.600.", ""},
		{"It pays (5 boxes × 10M × 3 trips) = 60 loads, as 4 + 5 × 6 = 50 does.", `line 1: "4 + 5 × 6 = 50" should be 34`},
		{"The bays are 3/6 full, 2/6 half, 1/6 open (67%).", ""},
		{"The wait went from 40 s to 30 s (−35%).", ""},
		{"| Wood | Now | Then |\n|---|---|---|\n| Oak | 12 | 10 |\n| Elm | 30 | 20 |\n| Total | 44 | 30 |\n", `line 5: Total, column Now: "44" should be 42`},
		{"| Wood | Now |\n|---|---|\n| Oak | 12 |\n| Elm | 30 |\n| Ash | 8 |\n| Total | 55 |\n", `line 6: Total, column Now: "55" should be 50`},
		{"| Wood | Now |\n|---|---|\n| Oak | 12 |\n| Elm | 30 |\n| Ash | 8 |\n| Total cuts | 255 |\n", ""},
		{"| Wood | Now |\n|---|---|\n| Oak | 12 |\n| Elm | 30 |\n| Ash | 8 |\n| All | 55 |\n", ""},
		{"| Wood | Now | Then |\n|---|---|---|\n| Oak | 12 | 1 |\n| Elm | 30 | 2 |\n| Ash | 8 | 3 |\n| All | 55 | 6 |\n", `line 6: All, column Now: "55" should be 50`},
		{"| Wood | Now | Then |\n|---|---|---|\n| Oak | 12 | 10 |\n| Elm | 30 | 20 |\n| Ash | 90 | 5 |\n| Total | 44 | 30 |\n", ""},
		{"| Wood | Now |\n|---|---|\n| Oak | 12 |\n| Elm | 300 |\n| Ash | 8 |\n| Total | 50 |\n", `line 6: Total, column Now: "50" should be 320`},
		{"| Part | Weighted |\n|---|---|\n| Oak | 1.25 |\n| Elm | 3.25 |\n| Ash | 2.75 |\n| Total | 8.25 |\n", `line 6: Total, column Weighted: "8.25" should be 7.25`},
		{"| Wood | Now |\n|---|---|\n| Oak | 12 |\n| Elm | 30 |\n| Ash | 8 |\n| Total of all cuts now | 55 |\n", `line 6: Total of all cuts now, column Now: "55" should be 50`},
		{"| Wood | Now | Mean |\n|---|---|---|\n| Oak | 12 | 1.5 |\n| Elm | 30 | 2.5 |\n| Overall | 42 | 2.2 |\n", ""},
		{"| Wood | Now | Plan |\n|---|---|---|\n| Oak | 12 | 15 |\n| Elm | 30 | 25 |\n| Ash | - | 8 |\n| Total | 42 | 40 |\n", ""},
		{"| Wood | Now |\n|---|---|\n| Oak | 20,012 |\n| Elm | 30,000 |\n| Ash | 8,000 |\n| Total | 58,032 |\n", `line 6: Total, column Now: "58,032" should be 58,012`},
		{"We saw 36-44≈37 of them, and a 12-day mean - 26-day mean = 9-day mean.", ""},
		{"It took 3h / 40h = 92.5% less, and 70/30 = 533.6% more.", ""},
		{"It took 3h / 40h = 85.5% less.", `line 1: "3h / 40h = 85.5%" should be 92.5%`},
		{"A 30/70 split (30% for us), and 10/20 tokens, 30%/40% off.", ""},
		{"Of 18.4 million clicks, 257,600 (1.9 %) were late.", `line 1: "18.4 million clicks, 257,600 (1.9 %)" should be 1.4 %`},
		{"The 97,000 desks nobody used for two years make up 31.5 % of the 412,000.", `line 1: "97,000 desks nobody used for two years make up 31.5 % of the 412,000" should be 23.5 %`},
		{"The 97,000 desks are 23.5 % of the 412,000, and 5 of 24 carries a 95% interval.", ""},
		{"The heap has 26MB / 28MB (91%), the other 20MB / 28MB (91%).", `line 1: "20MB / 28MB (91%)" should be 71%`},
		{"The heap has about 26MB / 30MB (90%).", ""},
		{"| Wood | Cuts | Days | Men |\n|---|---|---|---|\n| Oak | 16 | 4 | 5 |\n| Elm | 20 | 4 | 3 |\n| Ash | 4 | 2 | 2 |\n| Total | 40 | 10 | 4 |\n", `line 6: Total, column Men: "4" should be 10`},
		{"| Room | Desks |\n|---|---|\n| A | 24/25 (98%) |\n", `line 3: "24/25 (98%)" should be 96%`},
		{"We mended batch 1+2 = 65 files.", ""},
		{"That makes 18 trips on Monday and 12 on Friday, 28 in all.", `line 1: "18 trips on Monday and 12 on Friday, 28" should be 30`},
		{"There are 10 cooks, 22 waiters and 110 guests, which makes 152 people.", `line 1: "10 cooks, 22 waiters and 110 guests, which makes 152" should be 142`},
		{"The cut takes 0.45 m oak, 0.90 m elm, 0.25 m ash, altogether 1.70 m.", `line 1: "0.45 m oak, 0.90 m elm, 0.25 m ash, altogether 1.70 m" should be 1.60 m`},
		{"At 1.5 m wide: 0.45 m oak, 0.90 m elm, 0.25 m ash, altogether 1.70 m.", `line 1: "0.45 m oak, 0.90 m elm, 0.25 m ash, altogether 1.70 m" should be 1.60 m`},
		{"It takes about 3 × 4 = 16 steps, and 15% of the 200 = 40 beams.", `line 1: "15% of the 200 = 40" should be 30`},
		{"| Wood | Now |\n|---|---|\n| Oak | 12 |\n| Elm | ~30 |\n| Ash | 8 |\n| Total | 70 |\n", ""},
		{"| Way | Old | New |\n|---|---|---|\n| Saw | 50 | 50 |\n| Plane | 90 | 90 |\n| Oil | 60 | 60 |\n| Total (by hand) | 200 | 200 |\n| Total (at once) | 200 | 70 |\n", ""},
		{"That makes 18 trips on Monday and 12 on Friday, 30 in all; 93 passed, 4 failed, 13 parts passed (97 total).", ""},
		{"We have 31 cups and 4 cans among others, 41 in total, and 6 tables, 3 chairs, 10 total tables.", ""},
		{"There are 11 cups and 2 cans out of 24 things total.", ""},
		{"We have 4 shelves and 30 cups, 52 things in total.", ""},
		{"The rack has 3 rows and 4 columns, 12 shelves in total.", ""},
		{"We cut 20 boards twice and 10 boards once, 50 in total.", ""},
		{"| Wood | Cost |\n|---|---|\n| Oak | 12 EUR |\n| Elm | 30 EUR |\n| ~~Yew~~ | ~~4 EUR~~ |\n| Ash | 8 EUR |\n| Total | 50 EUR |\n", ""},
		{"| Wood | Now |\n|---|---|\n| Hard | 42 |\n| Oak | 12 |\n| Elm | 30 |\n| Soft | 8 |\n| Fir | 8 |\n| Total | 50 |\n", ""},
		{"| Wood | Cuts | Days | Cuts/day |\n|---|---|---|---|\n| Oak | 165 | 32 | 5.2 |\n| Elm | 224 | 38 | 5.9 |\n| Total | 389 | 70 | 5.6 |\n", ""},
		{"| Wood | Now | Then | Cost |\n|---|---|---|---|\n| Oak | 1,640 | 8,912 | 604 |\n| Elm | 1,120 | 6,044 | 377 |\n| Ash | 710 | 3,731 | 251 |\n| Group | 3,470 | 18,687 | 1,332 |\n", `line 6: Group, column Cost: "1,332" should be 1,232`},
		{"| Wood | Now | Then | Cost |\n|---|---|---|---|\n| Oak | 1,640 | 8,912 | 604 |\n| Elm | 1,120 | 6,044 | 377 |\n| Ash | 710 | 3,731 | 251 |\n| Group | 3,470 | 18,587 | 1,332 |\n", ""},
		{"| Wood | Knots | Cracks | Cost |\n|---|---|---|---|\n| Oak | 0 | 0 | 40 |\n| Elm | 0 | 1 | 50 |\n| Ash | 0 | 0 | 60 |\n| Yew | 0 | 1 | 180 |\n", ""},
		{"| Wood | Now |\n|---|---|\n| Oak | 12 |\n| Elm, provisional sum | 30 |\n| Ash | 8 |\n| Yew | 9 |\n| Total | 59 |\n", ""},
		{"The sums 6 × 7 = 45 in the sample are wrong.", ""},
		{"Is 6 × 7 = 45?", ""},
		{"The fault hit 8 of 20 (45%).", `line 1: "8 of 20 (45%)" should be 40%`},
		{"The fault hit 8 of 20 (55%).", `line 1: "8 of 20 (55%)" should be 40%`},
		{"13 % of the jobs failed (2 of 8).", `line 1: "13 % of the jobs failed (2 of 8)" should be 25 %`},
		{"It fills 48/2 = 26 crates.", `line 1: "48/2 = 26" should be 24`},
		{"In total (2 + 3) * 4 = 14 crates, and floor(7 / 2) = 3.", `line 1: "(2 + 3) * 4 = 14" should be 20`},
		{"There are 2^10 = 1000 slots, 3 ^ 3 = 27 keys and 2^16 ≈ 65k ports.", `line 1: "2^10 = 1000" should be 1024`},
		{"It takes 2.5 + 3 = 5.6 points, or 2.46 + 3.12 = 5.6.", `line 1: "2.5 + 3 = 5.6 points" should be 5.5 points`},
		{"Das sind 1.000,25 + 234,25 = 1.334,50.", `line 1: "1.000,25 + 234,25 = 1.334,50" should be 1.234,50`},
		{"The tray holds 24\u00a0×\u00a042 = 1,018 cups.", `line 1: "24 × 42 = 1,018" should be 1,008`},
		{"```\n6 × 7 = 45\n```", ""},
	} {
		got := ""
		for _, f := range find(c.text) {
			got += f.Message() + "\n"
		}
		if strings.TrimSpace(got) != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

// TestLarge: a large error is found as a small one is.
func TestLarge(t *testing.T) {
	for _, s := range []string{"2", "46", "4,600", "460000"} {
		if len(find("The tray holds 6 × 7 = "+s+".")) != 1 {
			t.Errorf("%s is not found", s)
		}
	}
}

// FuzzFind: a finding has a line, a text and something that is right.
func FuzzFind(f *testing.F) {
	for _, s := range []string{"12 + 7 = 20, (3 + 4) × 2 ≈ 15 and 2^10 = 1000", "3/4 (80%), 80% (3 of 4)", "a total of 7: 3 a, 3 b and 2 c", "from 3 to 4 (+50%)", "1.234,5 + 1,0 = 2", "max(3, 4) = 5 = ((((",
		"|a|b|\n|-|-|\n|x|1|\n|y|2|\n|Total|4|", "- a: 1 (30%)\n- b: 2 (60%)\n- total: 4", "90 minutes = 2 h (3 h 30 min)", "$3 × 4 = €5 - 5 = 6 x 3x4", "~5 ≈ 3 ≈", "|a|b|c|\n|-|-|-|\n|x|1|2 (3%)|\n|y|2 (4%)|3 (5%)|\n|Total|4|", "1 = 2^99999 = 10 × 10^400", "Δ −− 5 − –3 = 9%"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		doc := markdown.Parse(text)
		for _, g := range append(Find(doc), Unbacked(doc, text)...) {
			if g.Line < 1 || g.Text == "" || g.Message() == "" || g.Kind != "unbacked" && g.Should == "" {
				t.Fatalf("%+v", g)
			}
		}
	})
}

// TestHostile: work is linear in the text.
func TestHostile(t *testing.T) {
	for name, text := range texttest.Hostile(texttest.Size) {
		doc := markdown.Parse(text)
		start := time.Now()
		found := Find(doc)
		half := time.Since(start)
		Unbacked(doc, text)
		if spent := time.Since(start); spent > 5*time.Second {
			t.Errorf("%s takes %v", name, spent)
		} else if spent > 50*time.Millisecond {
			t.Logf("%s takes %v, of it Find %v", name, spent, half)
		}
		if len(found) > maxFindings {
			t.Errorf("%s: %d findings", name, len(found))
		}
	}
}

func BenchmarkFind(b *testing.B) {
	for name, text := range realBundles(b) {
		doc := markdown.Parse(text)
		b.Run(name, func(b *testing.B) {
			b.ReportMetric(float64(len(doc.Words())), "words")
			for b.Loop() {
				Find(doc)
			}
		})
	}
}
