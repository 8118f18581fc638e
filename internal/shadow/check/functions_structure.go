package check

import (
	"cel.dev/cel-go/cel"

	"github.com/swarmspeed/shadowd/internal/text/figures"
	"github.com/swarmspeed/shadowd/internal/text/markdown"
)

var structureFunctions = []*Function{
	{Name: "headings", Signature: "string.headings() -> list(string)",
		Doc:     "headings, and bold text that stands alone as a paragraph",
		Example: `text.headings()`, Text: "# A\ntext\n## B", Want: `["A","B"]`,
		args: takes(), result: strList, run: onText((*markdown.Doc).Headings)},
	{Name: "sections", Signature: "string.sections() -> list({title: string, level: int, text: string})",
		Doc:     "sections: each heading with the text under it, subsections included; level is 1 to 6, 7 for bold text alone",
		Example: `text.sections().filter(s, s.level == 2).map(s, s.title + ': ' + s.text)`, Text: "# A\n## B\nx\n## C\ny", Want: `["B: x","C: y"]`,
		args: takes(), result: listOf[section](), run: onText(sectionsOf)},
	{Name: "section", Signature: "string.section(title) -> string",
		Doc:     "text under the heading, subsections included; '' if there is no such heading",
		Example: `text.section('risks')`, Text: "# 1. Risks\nNone.\n# Next\nx", Want: `"None."`,
		args: takes(str), result: str, run: onTextString((*markdown.Doc).Section)},
	{Name: "has_section", Signature: "string.has_section(title) -> bool",
		Doc:     "whether there is such a heading",
		Example: `text.has_section('Risks')`, Text: "# Risks and mitigations", Want: `true`,
		args: takes(str), result: cel.BoolType, run: onTextString(func(t *markdown.Doc, title string) bool { return t.FindSection(title) > 0 })},
	{Name: "list_items", Signature: "string.list_items() -> list(string)",
		Doc:     "items of all lists, in the order of the text; nested ones are items of their own",
		Example: `text.list_items()`, Text: "- a\n  1. b\n- [x] c", Want: `["a","b","c"]`,
		args: takes(), result: strList, run: onText(func(t *markdown.Doc) []string { return t.Items(true, true) })},
	{Name: "bullet_items", Signature: "string.bullet_items() -> list(string)",
		Doc:     "items of bulleted lists (-, *, +, •)",
		Example: `text.bullet_items()`, Text: "- a\n  1. b\n* [x] c", Want: `["a","c"]`,
		args: takes(), result: strList, run: onText(func(t *markdown.Doc) []string { return t.Items(false, true) })},
	{Name: "numbered_items", Signature: "string.numbered_items() -> list(string)",
		Doc:     "items of numbered lists (1. or 1))",
		Example: `text.numbered_items()`, Text: "- a\n  1. b\n  2. c", Want: `["b","c"]`,
		args: takes(), result: strList, run: onText(func(t *markdown.Doc) []string { return t.Items(true, false) })},
	{Name: "tables", Signature: "string.tables() -> list({header: list(string), rows: list(list(string))})",
		Doc:     "tables with their cells",
		Example: `text.tables()[0].rows[0][1]`, Text: "| a | b |\n|---|---|\n| 1 | 2 |", Want: `"2"`,
		args: takes(), result: listOf[table](), run: onText(func(t *markdown.Doc) []table {
			return each(t.Tables, func(tab markdown.Table) table { return table{tab.Header, tab.Rows} })
		})},
	{Name: "code_blocks", Signature: "string.code_blocks() -> list({lang: string, body: string})",
		Doc:     "blocks of code",
		Example: `text.code_blocks().exists(b, b.lang == 'sql' && b.body.contains('CREATE TABLE'))`, Text: "```sql\nCREATE TABLE t (id int);\n```", Want: `true`,
		args: takes(), result: listOf[codeBlock](), run: onText(func(t *markdown.Doc) []codeBlock {
			return each(t.Code, func(b markdown.CodeBlock) codeBlock { return codeBlock{b.Lang, b.Body} })
		})},
	{Name: "links", Signature: "string.links() -> list({text: string, url: string})",
		Doc:     "inline links, images and addresses; links by reference ([a][1]) are text",
		Example: `text.links()[0].url`, Text: "See [the plan](https://example.org/plan).", Want: `"https://example.org/plan"`,
		args: takes(), result: listOf[link](), run: onText(func(t *markdown.Doc) []link {
			return each(t.Links, func(l markdown.Link) link { return link{l.Text, l.URL} })
		})},
	{Name: "highlights", Signature: "string.highlights() -> list(string)",
		Doc:     "what is emphasised with stars or underscores (*x*, **x**, _x_), outside code",
		Example: `text.highlights()`, Text: "*one* and **two**, 3 * 4 * 5, snake_case_name, `*code*`", Want: `["one","two"]`,
		args: takes(), result: strList, run: onText(func(t *markdown.Doc) []string { return t.Highlights })},
	{Name: "placeholders", Signature: "string.placeholders() -> list(string)",
		Doc:     "what was left to fill in: a line or cell that is a mark (TBD, or TODO: and what is to be done), [Your name] or <insert date> alone or behind a colon, lorem ipsum; at most 100",
		Example: `text.placeholders()`, Text: "Owner: [Your name].\n\nTODO: add the date. See [docs](a.md).", Want: `["[Your name]","TODO: add the date."]`,
		args: takes(), result: strList, run: onText(func(t *markdown.Doc) []string {
			return each(figures.Places(t, false), func(f figures.Finding) string { return f.Text })
		})},
}

func sectionsOf(t *markdown.Doc) []section {
	out := make([]section, len(t.Sections)-1)
	for i, s := range t.Sections[1:] {
		out[i] = section{s.Title, s.Level, t.Under(i + 1)}
	}
	return out
}

// each makes a list of another one.
func each[A, B any](list []A, f func(A) B) []B {
	out := make([]B, len(list))
	for i, x := range list {
		out[i] = f(x)
	}
	return out
}
