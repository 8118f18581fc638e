// Package reading tells of the items of an assignment whether the work that
// was handed in delivers them. It says only what is sure; all else is Unread.
//
// Declined: a clause has a cue of non-delivery (data/cues.txt) and so much of
// the item that it is about it. A cue speaks of the matter and not of the work
// in a condition, in a relative clause that narrows a noun, behind another
// negation, in a question, in quotation marks, and where an item has the same
// words. An empty box, struck text and an entry under a heading such
// as "Not delivered" count as cues; other headings decline nothing. A heading or
// a label stands for what a clause is about only where the clause names nothing
// itself: below "Safety", "the guard is open" is content.
//
// Found: a section has half of the item by weight, and its lines about the item
// have a dozen words that no item has. A passage that says no more than the
// items is no evidence, in whatever order and with whatever prefix.
//
// Missing: the item asks for something by an identifier (refresh_tokens,
// jwt-service.ts) that the work does not have, and has little else of. That the
// words of an item are nowhere is no verdict: a text may treat a matter in
// other words.
//
// The weight of a word of an item: words for kinds of work and of text weigh
// less, the noun before the first preposition more, what follows it less. Words
// are compared by stem.
//
// The lists of words are English. A text in another language has no cues.
package reading
