// Package reading decides for each item of an assignment whether the work
// delivers it. It decides only what is nearly sure; everything else is Unread.
//
// Declined: a clause has a cue ("was not done", data/cues.txt) and enough words
// of the item to be about it. A cue does not count in a condition, in a
// relative clause that narrows a noun, in a clause that somebody was told of,
// behind "must", "to" or "you", which say what may or shall be, behind another
// negation, in a question, in quotation marks, in an example, and where an item
// has the same words. It does not count where a passage that reports work as
// done names the same words of the item and more. It does not count for an item
// that asks for an absence, unless the clause has the item's verb; in a cell
// that explains a code or a message; or in a row so long that it is data. An
// empty box, struck text and an entry under a heading such as "Not delivered"
// count as cues; other headings decline nothing. If a clause names no subject,
// the words before it in its sentence are taken as the subject. Without such
// words it is the sentence before, the heading, or a label such as "**Load
// test.**". So below "Safety", "the guard is open" is content. A cue is about
// the item that its clause names best, and about all if the text says nothing
// else and names nothing. Three fifths of an item are enough. Fewer are enough
// if no other item is named as much.
//
// Another line that names the item nearly as much and denies nothing leaves it
// unread: the cue may speak of a part, or of something else. Of the rules that
// were measured, this one told right alarms from wrong ones best.
//
// Found: a section has half of the item by weight, and its lines about the
// item have a dozen words that neither an item nor half of the sections have.
// A passage that says no more than the items is no evidence, in whatever order
// and with whatever prefix.
//
// Missing: the item asks for something by an identifier (refresh_tokens,
// jwt-service.ts) that the work does not have, and has little else of. If the
// words of an item are nowhere, that is no verdict: a text may treat a matter
// in other words. An empty text misses all.
//
// The weight of a word of an item: words for kinds of work and of text weigh
// less, the noun before the first preposition more, what follows it less.
// Words are compared by stem.
//
// The lists of words are English. A text in another language has no cues.
package reading
