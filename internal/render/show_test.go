package render

import (
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/calibrate"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// A model's name is shown as it is, with spaces too, and no name twice.
func TestCalibratedNames(t *testing.T) {
	for want, j := range map[string]calibrate.Judge{
		"strict (house-rules 2.1, house)": {Name: "strict", Model: "house-rules 2.1", Family: "house"},
		"strict (house)":                  {Name: "strict", Family: "house"},
		"my-model":                        {Name: "my-model", Model: "my-model"},
	} {
		var b strings.Builder
		if err := Calibration(NewTerminal(&b, true), &calibrate.Result{Judges: []calibrate.Judge{j}}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), "\n\n"+want+"\n") {
			t.Errorf("got %q, want %q", b.String(), want)
		}
	}
}

// TestSilent: each judge that had no vote is named once, with its last reason; who always voted is not.
func TestSilent(t *testing.T) {
	vote := func(judge, why string) shadow.Vote {
		v := shadow.Vote{Judge: judge, Outcome: shadow.Passed}
		if why != "" {
			v = shadow.NoVote(judge, "%s", why)
		}
		return v
	}
	var ballots []shadow.Ballot
	for _, why := range []string{"timeout", "401\x1b[31m", "401\x1b[31m"} {
		ballots = append(ballots, shadow.Ballot{Votes: []shadow.Vote{vote("gpt", why), vote("llama", "")}})
	}
	ballots = append(ballots, shadow.Ballot{Votes: []shadow.Vote{vote("gpt", ""), vote("gone", "no connection")}})
	got := strings.Join(Silent(ballots), "\n")
	if want := "gone had no vote on 1 of 1 question: no connection\ngpt had no vote on 3 of 4 questions: 401 [31m"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
