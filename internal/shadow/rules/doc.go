// Package rules is the built-in author of sealed criteria: rules written by
// hand, no model and no network.
//
// From a decomposition it takes what every domain was asked for: sub-tasks,
// deliverables and constraints; the numbered requirements; what the
// specification demands (must, should), lays down for a case ("if the store is
// unavailable, …") or names; and the identifiers and files of the brief. A
// requirement binds the domains that were asked for something it is about, or
// else the one domain whose words it uses or under whose heading it stands. In
// doubt it binds none: nobody is accused of what was not asked of him.
//
// Each item goes to one category, and the items of a category are spread over
// that category's criteria. What is left of the quota goes to questions that
// can be asked of any piece of work, the decisive ones first: do the figures
// add up, does the summary claim what the content lacks, is a conflict left
// open, does it say what can go wrong. A question that the listed items imply
// is left out. [Generic] counts the criteria that ask for nothing of the
// decomposition's own.
//
// A secret draw decides which questions are asked, in which words, and which
// items stand together. It never decides whether an item is asked: in every
// draw each domain's items are all in the envelope, once. The arithmetic is
// always asked too.
//
// Not asked is what good work does in silence: prohibitions, limits on the
// length of the text itself, a deliverable that is the bundle itself. The
// reading rule of package check knows English. An item in another language, or
// one that asks for a form, counts as missing only if a text in that language
// has no trace of its words.
//
// A phrase of the decomposition is untrusted. It reaches a check only as
// material, never as part of the expression.
package rules
