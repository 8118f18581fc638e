package main

import (
	_ "embed"
	"strings"
	texts "text/template"

	"github.com/alecthomas/kong"
)

// completionCmd prints what a shell needs to complete the command line.
type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

//go:embed completion.tmpl
var completionText string

func (cmd completionCmd) Run(a *app, k *kong.Kong) error {
	scripts, err := texts.New("").Funcs(texts.FuncMap{"quoted": quoted}).Parse(completionText)
	if err != nil {
		return err
	}
	return scripts.ExecuteTemplate(a.Stdout, cmd.Shell, k.Model.Node)
}

// quoted is a text as a word of fish.
func quoted(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}
