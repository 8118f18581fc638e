package main

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// completionCmd prints what a shell needs to complete the command line.
type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

func (cmd completionCmd) Run(a *app, k *kong.Kong) error {
	var script string
	if cmd.Shell == "fish" {
		script = fishCompletion(k.Model.Node, nil)
	} else {
		var cases []string
		bashCases(k.Model.Node, nil, &cases)
		script = fmt.Sprintf(bashCompletion, strings.Join(cases, "\n"))
		if cmd.Shell == "zsh" {
			script = "autoload -U +X bashcompinit && bashcompinit\n" + script
		}
	}
	_, err := fmt.Fprint(a.Stdout, script)
	return err
}

// bashCompletion looks the words up that can follow the commands before the
// cursor; a file can follow them always.
const bashCompletion = `_shadowd() {
  local i path= words=
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "${COMP_WORDS[i]}" in -*) ;; *) path="$path ${COMP_WORDS[i]}" ;; esac
  done
  case "$path" in
%s
  esac
  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _shadowd shadowd
`

// bashCases adds a case for a command behind those of its subcommands, since
// the first that fits counts.
func bashCases(n *kong.Node, path []string, cases *[]string) {
	var words []string
	for _, child := range n.Children {
		words = append(words, child.Name)
		bashCases(child, append(path, child.Name), cases)
	}
	pattern := `"` + strings.Join(append([]string{""}, path...), " ") + `"`
	if len(n.Children) == 0 {
		for _, f := range n.Flags {
			words = append(words, "--"+f.Name)
		}
		pattern += "|" + strings.TrimSuffix(pattern, `"`) + ` "*` // arguments follow
	}
	*cases = append(*cases, fmt.Sprintf("    %s) words=%q ;;", pattern, strings.Join(append(words, "--help"), " ")))
}

// fishCompletion lists the commands and flags below a command.
func fishCompletion(n *kong.Node, path []string) string {
	when := "__fish_use_subcommand"
	if len(path) > 0 {
		when = "__fish_seen_subcommand_from " + path[len(path)-1]
	}
	quoted := func(s string) string { return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'" }
	var b strings.Builder
	for _, child := range n.Children {
		fmt.Fprintf(&b, "complete -c shadowd -n '%s' -a %s -d %s\n", when, child.Name, quoted(child.Help))
		b.WriteString(fishCompletion(child, append(path, child.Name)))
	}
	if len(n.Children) == 0 {
		for _, f := range n.Flags {
			fmt.Fprintf(&b, "complete -c shadowd -n '%s' -l %s -d %s\n", when, f.Name, quoted(f.Help))
		}
	}
	return b.String()
}
