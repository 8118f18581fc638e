// Package llm uses language models as authors and judges, over any endpoint
// that speaks OpenAI's chat completions. A word names a model: that of a known
// provider, as in "openai:gpt-5-mini", or one behind a URL.
//
// What it guarantees:
//
//   - A reply is a vote or a criterion only if it has the asked form, all of
//     it and nothing that contradicts itself. Everything else, a refusal, half
//     a reply, two verdicts, is an error or no vote; none becomes a pass. Where
//     one reply answers several questions, each answer is read by itself.
//   - In a prompt, every line of a text that others wrote (a bundle, a
//     decomposition) begins with a mark. The mark is random for each request,
//     so that no text can end its own quotation. Tokens of chat templates in it
//     are made harmless, and characters that nobody sees are taken out.
//   - Errors hold no key, no prompt, and no word of what a server said beside
//     its status.
//   - It sends nothing to any address but the configured one.
//
// It does not guarantee that a text cannot persuade the model of a wrong
// verdict. A pass must quote the bundle, and the quote must not be part of an
// attempt to instruct the judge; beyond that, use a panel of several families,
// and measure it by calibration.
package llm
