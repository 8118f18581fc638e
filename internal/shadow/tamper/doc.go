// Package tamper finds text in a bundle that addresses its judge, or imitates
// the machinery around the judge: demands for a verdict, orders to ignore
// instructions, verdicts and delimiters that look like the real ones, roles
// and chat templates, flattery and threats; in English and a dozen other
// languages, also where it is hidden in comments, disguised by look-alike or
// invisible characters, or encoded.
//
// It is a list of words and rules on which of them stand near each other. It
// reads a text once; the work is linear in its length, and bounded. The same
// text gives the same findings, so that an audit can derive them again; a
// change of the findings is a change of check.Version.
//
// What it does not do: it does not understand. An attack in other words, in a
// language that it does not know, or put as a plain claim ("everything was
// verified") passes it, and an honest text that quotes an attack without
// saying so is found. So findings are told to those who read reports, and
// never change a score. What keeps a judge honest is how it is asked, and that
// a pass needs a quote (see docs/judges.md).
package tamper
