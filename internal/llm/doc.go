// Package llm puts language models to work as authors and judges, over any
// endpoint that speaks OpenAI's chat completions. A word names a model: that of
// a known provider, as in "openai:gpt-5-mini", or one behind a URL.
//
// What it guarantees:
//
//   - A reply is a vote or a criterion only if it has the asked form, all of
//     it and nothing that contradicts itself. Everything else, a refusal, half
//     a reply, two verdicts, is an error or no vote; none becomes a pass. Where
//     one reply answers several questions, each answer is read by itself.
//   - What others wrote (a bundle, a decomposition) stands in the prompt behind
//     a mark on every line, which is drawn anew for each request, so that no
//     text can end its own quotation. Tokens of chat templates in it are made
//     harmless, and characters that nobody sees are taken out.
//   - Errors hold no key, no prompt, and no word of what a server said beside
//     its status.
//   - It sends nothing to any address but the configured one.
//
// What it does not: keep a model from being talked into a wrong verdict by a
// text that it reads. A pass must quote the bundle, and the quote must not be
// part of an attempt to instruct the judge; beyond that a panel of several
// families is the defence, and calibration tells how good it is.
package llm
