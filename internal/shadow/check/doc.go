// Package check is the deterministic check language: expressions that assert
// something about a piece of Markdown, such as the content of a bundle.
//
//	text.words().size() >= 300 && text.has_section('Risks')
//	text.missing(material.sub_tasks)
//	material.limits.all(l, text.states(l))
//	text.miscalculations() + text.unbacked_numbers(bundle.summary)
//
// # Language
//
// An expression is CEL (https://cel.dev) over four variables: text, the
// document under test; bundle and domain, the bundle and the decomposition's
// entry for its domain; and material, what the criterion's author sealed for
// that domain. Its value is a bool, or a list of strings that say what is
// wrong (empty: the check passed). The functions of text are methods on
// strings, so they also work on a part of the document, as in
// text.section('Risks').words(). [Functions] lists them with an example each.
// Beside them there are CEL's standard functions, its macro cel.bind, charAt,
// indexOf, lastIndexOf, lowerAscii, upperAscii, replace, split, substring,
// trim, join, slice, and the math extension. Regular expressions are those of
// RE2, which take time linear in the text; their size times the length of the
// text is bounded.
//
// This package is only the language. The packages under internal/text analyse
// texts: markdown (structure), reading (what is said of an item of an
// assignment), quantity (figures), arithmetic (whether they come out),
// language.
//
// # Guarantees
//
// A check is a pure function of its input: no clock, no randomness, no I/O.
// [Version] changes whenever a verdict can change. Compile finds syntax
// errors, type errors and bad regular expressions, with their column. Eval
// never panics and never blocks: cost, the sizes of texts, phrases, patterns
// and results are bounded, and what exceeds a bound is an error, never a
// verdict. A [Text] is analysed once and shared: functions on a string that
// equals the document reuse [Input.Text], and any other string is analysed
// anew. A [Check] and a [Text] may be used from many goroutines at once.
package check
