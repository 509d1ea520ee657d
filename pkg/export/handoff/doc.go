// Package handoff makes a prompt from a session, with which another program can continue it. [Collect] reads what a
// prompt may say: the first and the latest request, summaries, decisions, files, open calls and the last turns, each
// with its source. [Material.Fit] chooses what fits a number of tokens. No model is asked, and the same session gives
// the same prompt.
package handoff
