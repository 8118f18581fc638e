package check

import (
	"strings"

	"cel.dev/cel-go/cel"

	"github.com/swarmspeed/shadowd/internal/text/markdown"
)

var wordFunctions = []*Function{
	{Name: "words", Signature: "string.words() -> list(string)",
		Doc:     "words, of code and tables too: letters and digits with what joins them (don't, well-known, 3.5, snake_case); Chinese and Japanese characters count one each",
		Example: `text.words()`, Text: "It's **3.5** times", Want: `["It's","3.5","times"]`,
		args: takes(), result: strList, run: onAnalysis(func(t *Text) []string { return t.words() })},
	{Name: "sentences", Signature: "string.sentences() -> list(string)",
		Doc:     "sentences of paragraphs and list items, not of headings, tables and code; a line broken with room for the next word ends one; abbreviations, initials, versions and decimals end none",
		Example: `text.sentences()`, Text: "One. Two!\n\n- Three", Want: `["One.","Two!","Three"]`,
		args: takes(), result: strList, run: onText((*markdown.Doc).Sentences)},
	{Name: "paragraphs", Signature: "string.paragraphs() -> list(string)",
		Doc:     "Markdown paragraphs: blank lines divide them; headings, lists, tables and code are none",
		Example: `text.paragraphs().size()`, Text: "# Title\nOne.\nStill one.\n\nTwo.", Want: `2`,
		args: takes(), result: strList, run: onText((*markdown.Doc).Paragraphs)},
	{Name: "blocks", Signature: "string.blocks() -> list(string)",
		Doc:     "what blank lines divide, as written: paragraphs in the sense of plain text, so headings and lists are blocks too",
		Example: `text.blocks().size()`, Text: "# Title\n\nOne.\nStill one.\n \n- a\n- b", Want: `3`,
		args: takes(), result: strList, run: onText((*markdown.Doc).Blocks)},
	{Name: "occurrences", Signature: "string.occurrences(word) -> int",
		Doc:     "how often a word or phrase stands in the text without its markup, whole words, in any case; its plural is another word, so count both; what has no letter or digit is counted in the source",
		Example: `text.occurrences('key')`, Text: "Keys: the key, a KEY and a monkey.", Want: `2`,
		args: takes(str), result: cel.IntType, run: onTextString((*markdown.Doc).Occurrences)},
	{Name: "mentions", Signature: "string.mentions(words) -> bool",
		Doc:     "whether one of the words stands in the source, whole and in any case; a plural is another word: name both, or put a star at the beginning or end of a word, which stands for more of it",
		Example: `text.mentions(['fail*', 'error'])`, Text: "A **Failed** call is repeated.", Want: `true`,
		args: takes(strList), result: cel.BoolType, run: mentions},
	{Name: "count", Signature: "string.count(part) -> int",
		Doc:     "how often characters stand in the source, inside words too, in any case",
		Example: `text.count('é')`, Text: "Élan, caf\u00e9, cafe\u0301s", Want: `3`,
		args: takes(str), result: cel.IntType, run: onTextString((*markdown.Doc).Count)},
	{Name: "between", Signature: "string.between(open, close) -> list(string)",
		Doc:     "what stands between two marks on one line of the source, without spaces around it; nothing but spaces is left out",
		Example: `text.between('<<', '>>')`, Text: "<<The plan>> and << >>", Want: `["The plan"]`,
		args: takes(str, str), result: strList, run: between},
	{Name: "upper", Signature: "string.upper() -> string",
		Doc:     "the string in capitals, in any script (upperAscii changes A to Z only)",
		Example: `text.upper()`, Text: "Größe και so on", Want: `"GRÖßE ΚΑΙ SO ON"`,
		args: takes(), result: str, run: onString(strings.ToUpper)},
	{Name: "lower", Signature: "string.lower() -> string",
		Doc:     "the string in small letters, in any script",
		Example: `text.lower() == text`, Text: "alles klein, даже это", Want: `true`,
		args: takes(), result: str, run: onString(strings.ToLower)},
	{Name: "plain", Signature: "string.plain() -> string",
		Doc:     "the text without Markdown: one line for each heading, paragraph, item, table row; code as written",
		Example: `text.plain()`, Text: "# A\n**One** [link](u).\nTwo.\n\n1. x", Want: `"A\nOne link. Two.\nx"`,
		args: takes(), result: str, run: onText((*markdown.Doc).Plain)},
	{Name: "language", Signature: "string.language() -> string",
		Doc:     "ISO 639-1 code of the language; '' if the text is too short to tell or mixes languages; code does not count",
		Example: `text.language()`, Text: "Die Sitzung wird nach einer Stunde beendet, und der Benutzer muss sich neu anmelden. Danach läuft alles weiter wie zuvor.", Want: `"de"`,
		args: takes(), result: str, run: onAnalysis(func(t *Text) string { return t.language() })},
}
