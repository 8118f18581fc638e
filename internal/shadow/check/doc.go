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
// RE2; they are matched by a machine that counts its steps and stops.
//
// Functions of words, sentences and structure see the text without Markdown,
// functions of characters and patterns its source: docs/checks.md says which
// do what, and shows a check for every kind of instruction that can be
// verified. Letters are those of any script. Sentences end as UAX #29 has it,
// but not behind abbreviations and initials.
//
// # Reading
//
// Whether a text addresses a phrase, say a sub-task, is decided by words,
// places and structure. The rule was measured on labelled pairs of phrases
// and design documents; its word lists stand in lexicon.go.
//
//  1. Lines. Headings, sentences, items, table rows and groups of four lines
//     of code are lines. Each has its section, the item or lead-in that it
//     stands under, and its table's header. Words are reduced to stems.
//     Identifiers give their parts and their whole (refresh_tokens, keyRotation);
//     words written apart give the compound (roll back); a code block stands
//     for what it is (sql: database, schema), a quantity for what it measures
//     (200 ms: latency).
//  2. Phrase. Stop words drop out. A generic opening verb (write, define)
//     weighs nothing, behind "and" or in "that creates" 0.15; another opening
//     word 0.45, unless it is the matter itself (encrypt, rotate) or the phrase
//     is a sentence ("keys must rotate") or opens with a noun ("rotation of"); a noun of
//     genre (plan, guide) or a light verb 0.35; what "is done" 0.5; the rest 1.
//     An identifier is one thing and weighs as many words as it has parts, up
//     to 3.
//  3. Words. A line has a word with quality 1 if it has its stem, 0.85 if one
//     stem begins the other, 0.8 for a synonym, 0.7 for another shared stem; an
//     identifier with 1 as a word, 0.9 if its parts stand one behind the
//     other, at most 0.5 if they are scattered.
//  4. Places. Words count in full in the line itself, 0.95 in its parent or own
//     heading, 0.8 in the table's header, the heading above, the parent's
//     parent and the lines beside, 0.55 elsewhere in the section, 0.3 elsewhere.
//     A line's score is the weighted mean; only lines that have a word of the
//     phrase themselves count, and neither entries of a table of contents nor
//     headings without a text.
//  5. Verdict, the first that applies. Fewer than two content words: found if a
//     heading or an item begins with the phrase word for word, otherwise unclear.
//     The best line scores 0.60, is declined, and no other comes within 0.10:
//     declined. A line that is neither declined, negated nor a question (but
//     for a heading that asks how, what or why) scores 0.80: found. One that
//     is scores 0.80: unclear. The phrase asks for a reason or comparison (why,
//     explain): unclear. Below 0.50: not found. Below 0.60, if a quarter of the
//     phrase's weight stands nowhere in the text (of refresh_tokens, scattered
//     parts are nothing) and the phrase does not state a property (must,
//     never): not found. Otherwise unclear.
//
// A line is declined by its own words (out of scope, not yet, deferred, TODO),
// unless they state a condition ("if the key is not supported") or the phrase
// itself speaks of them; by its section's heading (Non-goals, Future work) or
// empty text ("None."); and by what it stands under.
//
// The rule tells that there is a passage about a matter, not that the passage
// is good, complete or true: a text that says the opposite reads as found. It
// cannot tell what a text says in words of its own that share no stem or
// synonym with the phrase; English word lists limit it to English. It is
// tuned so that an alarm (not found, declined) is rarely wrong, at the price
// of leaving much unclear. What is unclear is listed in [Result.Unclear] and
// counts in the text's favour in missing, but is not "found" for addresses.
//
// # Figures
//
// Whether a text states a quantity, say that of a limit, is decided by its
// numbers, in whatever unit and form they stand: see [Text.States]. The words
// of the limit are not looked for.
//
// What a text states twice, or computes, must add up: [Miscalculations] lists
// the kinds of claim that are read. A claim is reported only if no fair reading
// of it is right. Fair are rounding and truncation to the digits shown, a share
// of what is missing instead of what is there, data in steps of 1000 or 1024,
// days of work; a count of groups or of what is in them; a row that another
// one counts for. What is hedged (about, at least, ~), asked, called wrong, in
// another base, or in code is left alone, as is a table that says what it
// leaves out. What it does not read: sums over several sentences, columns that
// are products or differences of others, lists marked with letters.
//
// # Guarantees
//
// A check is a pure function of its input: no clock, no randomness, no I/O.
// [Version] changes whenever a verdict can change. Compile finds syntax
// errors, type errors and bad regular expressions, with their column. Eval
// never panics and never blocks: cost, the sizes of texts, phrases, patterns
// and results are bounded, and what exceeds a bound is an error, never a
// verdict. [Analyse] and what is built on it take time linear in the text,
// whatever it holds. A [Text] is analysed once and shared: functions on a
// string that equals the document reuse [Input.Text], and other strings are
// analysed once an evaluation. A [Check] and a [Text] may be used from many
// goroutines at once.
package check
