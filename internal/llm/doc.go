// Package llm uses language models as authors and judges, over any endpoint
// that speaks OpenAI's chat completions. A word names a model: that of a known
// provider, as in "openai:gpt-5-mini", or one behind a URL.
//
// What it guarantees:
//
//   - A reply is read in whatever form it comes, but it is a vote or a criterion
//     only if it is whole and does not contradict itself. Everything else, a
//     refusal, half a reply, two verdicts, is an error or no vote; none becomes a
//     pass.
//   - In a prompt, every line of a text that others wrote (a bundle, a
//     decomposition) begins with a mark that its author cannot know, one for
//     each bundle and judge and for each run that is written for, so that no
//     text can end its own quotation. Tokens of chat templates in it
//     are made harmless, and characters that nobody sees are taken out.
//   - Errors hold no key, and of the prompt at most 40 characters in a row. They
//     have what the server says, cleaned and cut, and say whether it is out of
//     reach or refuses this prompt.
//   - It sends nothing to any address but the configured one.
//
// It does not guarantee that a text cannot persuade the model of a wrong
// verdict. A pass must quote the content, control questions find a model that
// passes everything, and calibration measures a panel.
package llm
