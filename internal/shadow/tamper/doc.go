// Package tamper finds text in a bundle that addresses its judge, or imitates
// the machinery around the judge: demands for a verdict, a score or a grade,
// orders to ignore instructions, verdicts and delimiters that look like the
// real ones, roles and chat templates, flattery and threats; in English and a
// dozen other languages, also where it is hidden in comments, disguised by
// look-alike or invisible characters, or encoded.
//
// A text is read once, word by word (read.go, word.go). Each word has classes
// (words.txt): who judges, what is asked for, which verdict is a good one. Each
// sentence is compared with patterns of such classes (rules.txt, rule.go). Most
// patterns ask for a command or for the second person: a sentence that only
// describes judges has neither. What is quoted or shown as code is an example
// if the text is about attacks or judges. The work is linear in the length of
// the text. The same text gives the same findings, so that an audit can derive
// them again; a change of the findings is a change of check.Version.
//
// It does not understand the text. It misses an attack in other words, with
// spaces between its letters, in a language that it does not know, or in the
// form of a claim ("everything was verified"). It finds an honest text that
// tells its reader to score something. So findings are shown to those who read
// reports, and never change a score.
package tamper
