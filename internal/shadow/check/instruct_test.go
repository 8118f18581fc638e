package check

import (
	"strings"
	"testing"
)

// instruction is a row of the table in docs/checks.md: what was asked for, as
// a check, with a text that does it and one that does not.
type instruction struct {
	asked, expr, does, fails string
}

// entry is the domain's entry in the rows that need it.
var entry = map[string]any{"task_brief": "Name two fruits."}

var instructions = []struct {
	group string
	rows  []instruction
}{
	{"Length", []instruction{
		{"at least 8 words", `text.words().size() >= 8`, "It's a well-known fact: 3.5 of 4 agree.", "Seven words are not enough for this."},
		{"at most 6 words, where well-known counts as two", `text.replace('-', ' ').words().size() <= 6`, "That is a well-known fact", "That is a well-known, old fact"},
		{"at most 2 sentences", `text.sentences().size() <= 2`, "Dr. Smith took v1.2. It ran 3.5 s.", "One. Two! Three?"},
		{"no sentence of more than 10 words (names them)", `text.sentences().filter(s, s.words().size() > 10)`, "Short.\n\n- Also short.", "This sentence has rather more words than the ten that it may have."},
		{"exactly 2 paragraphs, divided by blank lines", `text.blocks().size() == 2`, "One.\nMore.\n\nTwo.\n", "One.\nTwo."},
		{"exactly 2 paragraphs beside headings, lists, tables and code", `text.paragraphs().size() == 2`, "# A\n\nOne.\n\n- x\n\nTwo.", "# A\n\nOne.\n\n- x"},
		{"exactly 2 paragraphs, divided by ***", `text.split('***').filter(p, p.trim() != '').size() == 2`, "One.\n\nMore.\n\n***\n\nTwo.", "One.\n\nTwo."},
		{"2 answers, divided by six asterisks", `text.split('******').filter(p, p.trim() != '').size() == 2`, "Yes.\n******\nNo.", "Yes.\n\n***\n\nNo."},
	}},
	{"Structure", []instruction{
		{"3 sections of level 2", `text.sections().filter(s, s.level == 2).size() == 3`, "# T\n## A\nx\n## B\nx\n## C\nx", "## A\n### B\n### C\n"},
		{"2 sections that begin with SECTION X", `text.plain().split('\n').filter(l, l.startsWith('SECTION ')).size() == 2`, "SECTION 1\nx\n\n**SECTION 2**\ny", "SECTION 1\nSee SECTION 2."},
		{"a section on risks of at least 5 words", `text.section('Risks').words().size() >= 5`, "## 3. Risks\nThe cache may be stale.", "## Plan\nThe cache may be stale."},
		{"exactly 3 bullet points", `text.bullet_items().size() == 3`, "- a\n- b\n\n  more of b\n* c\n\n1. d", "- a\n- b\n\n1. c"},
		{"at least 2 numbered steps", `text.numbered_items().size() >= 2`, "1. a\n2) b", "- a\n- b"},
		{"at least 2 highlighted parts, as in *this*", `text.highlights().size() >= 2`, "A *part* and **another part**.", "2 * 3 * 4 and one *part*."},
		{"a title in double angle brackets", `text.matches(r'<<\s*[^\s<>][^<>]*>>')`, "<<The plan>>\n\nIt is this.", "<The plan> << >>"},
		{"at least 2 placeholders in square brackets", `text.find_all(r'\[[^\[\]]+\]').size() >= 2`, "Dear [name], come to [address].", "Dear [name], come []."},
		{"nothing left to fill in (names what is)", `text.placeholders()`, "See [the plan](plan.md).", "Owner: [Your name]"},
		{"a postscript", `text.plain().split('\n').exists(l, l.startsWith('P.S.'))`, "Bye.\n\n**P.S.** Call me.", "The P.S. is missing."},
		{"a second postscript", `text.split('\n').exists(l, l.trim().startsWith('P.P.S'))`, "P.S. One.\nP.P.S. Two.", "P.S. One."},
		{"a line that begins with a mark of one's own", `text.split('\n').exists(l, l.trim().startsWith('NB:'))`, "Done.\n NB: not yet.", "Done, NB: not yet."},
		{"SQL in a block of code", `text.code_blocks().exists(b, b.lang == 'sql')`, "```sql\nSELECT 1;\n```", "`SELECT 1;`"},
		{"a table of at least 2 rows with a column Cost", `text.tables().exists(t, t.rows.size() >= 2 && 'Cost' in t.header)`, "| Part | Cost |\n|---|---|\n| a | 1 |\n| b | 2 |", "| Part | Cost |\n|---|---|\n| a | 1 |"},
	}},
	{"Words and letters", []instruction{
		{"the word cache, in this form, at least 2 times", `text.occurrences('cache') >= 2`, "The **Cache**, and a cache.", "The cache, caches and cached."},
		{"cache and its plural at least 2 times", `text.lower().count('cache') >= 2`, "Two caches: a Cache.", "One cache."},
		{"the word cache, in this form, exactly once", `text.occurrences('cache') == 1`, "One cache.", "A cache of a cache."},
		{"the letter é at least 3 times", `text.count('é') >= 3`, "ÉTÉ, caf\u00e9", "été, cafe"},
		{"all of some words (names those that are not there)", `['token', 'key'].filter(w, !text.mentions([w]))`, "A token and a KEY.", "A token and a monkey."},
		{"one of some words, in any form", `text.mentions(['fail*', 'error*'])`, "It failed.", "It works."},
		{"none of some words (names those that are there)", `['very', 'just'].filter(w, text.mentions([w]))`, "Everything is justified.", "It is Just so."},
		{"no commas", `!text.contains(',')`, "One and two", "One, two"},
		{"no commas of any script", `[',', '，', '、', '،'].filter(c, text.contains(c))`, "一和二", "一、二"},
	}},
	{"Capitals", []instruction{
		{"all in capitals", `text == text.upper() && text != text.lower()`, "ВСЁ ЯСНО, ALL 3.", "ALL of it"},
		{"all in small letters", `text == text.lower()`, "всё ясно, all 3.", "all of It"},
		{"at most 2 words in capitals", `text.words().filter(w, w == w.upper() && w != w.lower()).size() <= 2`, "The API and the ÜBER in 2026.", "THE API AND more"},
	}},
	{"Beginning, end and whole", []instruction{
		{"begins with Dear", `text.trim().startsWith('Dear')`, "\n Dear Ann", "Oh dear"},
		{"begins with Summary, whatever its markup", `text.plain().startsWith('Summary')`, "## **Summary**\n\nx", "- The Summary"},
		{"ends with a phrase, in any case", `text.trim().lower().endsWith('any questions?')`, "Done. Any Questions? \n", "Any questions? No."},
		{"the second paragraph begins with the word However", `text.blocks().size() >= 2 && text.blocks()[1].words()[0].lower() == 'however'`, "One.\n\n**However**, two.", "However, one.\n\nTwo."},
		{"in double quotes as a whole", `text.trim().startsWith('"') && text.trim().endsWith('"')`, "\"One.\n\nTwo.\"\n", "\"One.\" Two."},
		{"the request repeated first", `text.trim().lower().startsWith(domain.task_brief.trim().lower())`, "Name two fruits.\n\nApple, pear.", "Apple, pear."},
		{"one of some answers, and nothing else", `text.trim() in ['Yes.', 'No.', 'Maybe.']`, "Maybe.\n", "Maybe. Maybe not."},
		{"one of some answers, among others", `['My answer is yes.', 'My answer is no.'].exists(a, text.contains(a))`, "Well. My answer is no.", "No."},
		{"nothing but JSON", `text.is_json()`, "```json\n{\"a\": 1}\n```", "Here: {\"a\": 1}"},
		{"JSON with 2 steps", `text.is_json() && text.json().steps.size() == 2`, `{"steps": ["a", "b"]}`, `{"steps": []}`},
	}},
}

// TestInstructions runs every row of the table on a text that does what is
// asked and on one that does not.
func TestInstructions(t *testing.T) {
	for _, g := range instructions {
		for _, row := range g.rows {
			for _, c := range []struct {
				text string
				want bool
			}{{row.does, true}, {row.fails, false}} {
				in := Input{Text: Analyse(c.text), Domain: entry}
				r, err := mustCompile(t, row.expr).Eval(in)
				if err != nil || r.Passed != c.want {
					t.Errorf("%s: %s on %q: %+v %v", row.asked, row.expr, c.text, r, err)
				}
			}
			if strings.Contains(row.expr+row.asked, "|") {
				t.Errorf("%s: a bar would end the cell of the table", row.asked)
			}
		}
	}
}
