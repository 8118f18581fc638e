package check

import (
	"maps"
	"slices"
)

// cue is a set of kinds of claim that a line may make, judging by its words
// and marks: the others are not looked for.
type cue uint16

const (
	cueStatistic  cue = 1 << iota // average, median, largest
	cueRange                      // within, between
	cueChange                     // from … to, →
	cueParts                      // split, shares
	cueRounding                   // rounds to
	cueStated                     // is, has, all
	cueLabel                      // a colon
	cueSum                        // in total, adds up
	cueDifference                 // fewer, an increase
	cueShare                      // out of, half of
	cueEach                       // each
	cuePeriod                     // requests in 60 s
	cueMultiple                   // doubled
)

// lineKinds are the kinds of claim that are made in one line, each with what
// the line must have for it to be looked for.
var lineKinds = []struct {
	name  string
	cue   cue // 0 for any line with numbers
	check func(*checker)
}{
	{"equation", 0, (*checker).equations},
	{"share", 0, (*checker).shares},
	{"total", 0, (*checker).totals},
	{"conversion", 0, (*checker).conversions},
	{"statistic", cueStatistic, (*checker).statistics},
	{"range", cueRange, (*checker).ranges},
	{"change", cueChange, (*checker).changes},
	{"rounding", cueRounding, (*checker).roundings},
	{"repeated", cueStated | cueLabel, (*checker).repeated},
	{"percentsum", cueParts, (*checker).splits},
	{"difference", cueChange | cueDifference, (*checker).differences},
	{"roundingframe", cueRounding, (*checker).roundingFrames},
	{"rate", cueShare, (*checker).rates},
	{"wordshare", cueShare, (*checker).wordShares},
	{"outcomes", cueSum, (*checker).labelledOutcomes},
	{"breakdown", 0, (*checker).breakdownLine},
	{"each", cueEach, (*checker).eaches},
	{"throughput", cuePeriod, (*checker).throughputs},
	{"multiple", cueMultiple, (*checker).multiplied},
	{"summary", cueStatistic | cueSum, (*checker).summaries},
}

// claimCues say what a line may claim, in the cases in which they are written.
var claimCues = func() map[string]cue {
	m := map[string]cue{}
	for c, words := range map[cue][]string{
		cueStatistic: {"average", "averages", "averaging", "avg", "mean", "median", "minimum", "maximum", "min", "max", "largest", "smallest",
			"highest", "lowest", "best", "worst", "fastest", "slowest", "greatest", "longest", "shortest", "sum",
			"peaked", "peaking", "peak", "top", "biggest", "averaged", "cheapest", "expensive", "heaviest", "lightest"},
		cueSum: {"total", "totals", "totalling", "totaling", "altogether", "combined", "overall", "together", "add", "adds", "adding", "comes", "come",
			"amounts", "sum", "sums", "brings", "bringing", "all"},
		cueRange:  {"within", "inside", "between", "in"},
		cueChange: {"from", "than"},
		cueParts: {"split", "splits", "divided", "divides", "distribution", "distributed", "every", "shares", "allocated", "allocates", "composition",
			"consists", "comprises", "breakdown", "total", "remaining", "rest", "remainder", "other", "mix", "made"},
		cueStated:     {"is", "are", "of", "has", "have", "contains", "all", "we", "on"},
		cueDifference: {"increase", "decrease", "reduction", "fewer", "more", "saving", "down", "up", "difference", "gap", "by", "before"},
		cueShare:      {"of", "rate", "invitations", "accuracy"},
		cueEach:       {"each"},
		cuePeriod:     {"in", "over", "within", "during"},
		cueMultiple:   slices.Collect(maps.Keys(multiples)),
		cueRounding:   {"rounding", "rounded", "decimal", "decimals", "truncated", "truncates"},
	} {
		for _, w := range words {
			m[w] |= c
			m[string(w[0]-'a'+'A')+w[1:]] |= c
		}
	}
	return m
}()
