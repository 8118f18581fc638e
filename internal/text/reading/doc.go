// Package reading tells of the items of an assignment whether the work that
// was handed in delivers them. It says what is nearly sure; all else is Unread.
//
// Declined: a clause has a cue ("was not done", data/cues.txt) and enough
// words of the item to be about it. A cue does not count in a condition, in a
// relative clause that narrows a noun, in a clause that somebody was told of,
// behind "must", "to" or "you", which say what may or shall be, behind another
// negation, in a question, in quotation marks, in an example, and where an item
// has the same words. Nor does it count where a passage that says that
// something was done names all that the cue names of the item, and more. Nor
// does it for an item that asks for an absence, unless the clause has the
// item's verb, nor in a cell that says what a code or a message means, nor in
// a row so long that it is data. An empty box, struck text and an entry under
// a heading such as "Not delivered" count as cues; other headings decline
// nothing. If a clause names no subject, what its sentence has before it is
// taken as the subject, or else the sentence before, the heading or the label,
// such as "**Load test.**", which names what the next sentence is about.
// So below "Safety", "the guard is open" is content. A cue is about the item
// that its clause names best, and about all if the text says nothing else and
// names nothing. Three fifths of an item are enough; less is where no other
// item is named as much.
//
// Another line that names the item nearly as much and denies nothing leaves it
// unread: the cue may speak of a part, or of something else. Of what told right
// alarms from wrong ones this was best.
//
// Found: a section has half of the item by weight, and its lines about the
// item have a dozen words that neither an item nor half of the sections have.
// A passage that says no more than the items is no evidence, in whatever order
// and with whatever prefix.
//
// Missing: the item asks for something by an identifier (refresh_tokens,
// jwt-service.ts) that the work does not have, and has little else of. That
// the words of an item are nowhere is no verdict: a text may treat a matter in
// other words. An empty text misses all.
//
// The weight of a word of an item: words for kinds of work and of text weigh
// less, the noun before the first preposition more, what follows it less.
// Words are compared by stem.
//
// The lists of words are English. A text in another language has no cues.
package reading
