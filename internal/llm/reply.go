package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/swarmspeed/shadowd/internal/text/fold"
)

// answer is what a judge says to a question.
type answer struct {
	passed   bool
	evidence []string // each of them a quote
	defect   string   // empty where it passed
}

// Why a reply gives no vote. They quote nothing of it, and stand in the request to
// repair it.
var (
	errNoVerdict   = errors.New("there is no object with a verdict in it")
	errVerdict     = errors.New("its verdict is neither passed nor failed")
	errVerdicts    = errors.New("it gives two different verdicts")
	errPassDefect  = errors.New("it contradicts itself: passed, with a defect")
	errFailNothing = errors.New("it contradicts itself: failed, and nothing is named as the defect")
)

// Signs around what a model thinks aloud. Those of templates may lack the first.
var (
	thinks  = regexp.MustCompile(`(?i)^(?:<(?:think|thinking|thoughts?|reasoning|reason|analysis|reflection|scratchpad)>|\[THINK\]|◁think▷)`)
	thinkTo = regexp.MustCompile(`(?i)(?:</(?:think|thinking|thoughts?|reasoning|reason|analysis|reflection|scratchpad)>|\[/THINK\]|◁/think▷)`)
	begunBy = regexp.MustCompile(`(?i)</think(?:ing)?>|\[/THINK\]|◁/think▷|<\|channel\|>final<\|message\|>`)
)

// thought takes out what a model thought aloud before its reply, drafts of it among
// them. Some chat templates open the thought, so that only its end is in the reply.
func thought(text string) string {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "{") || len(text) > maxText {
		return text
	}
	end, begun := begunBy, thinks.MatchString(text)
	if begun {
		end = thinkTo
	}
	switch all := end.FindAllStringIndex(text, -1); {
	case len(all) > 0:
		return text[all[len(all)-1][1]:]
	case begun:
		return "" // it does not end
	}
	return text
}

// readAnswer reads a reply. The same answer in another form is the same answer. What is
// missing or contradicts itself is an error.
func readAnswer(text string) (answer, error) {
	text = thought(text)
	found, err := objectsIn(text)
	if unquoted := ""; err != nil && json.Unmarshal([]byte(text), &unquoted) == nil {
		found, err = objectsIn(unquoted)
	}
	if err != nil {
		return answer{}, err
	}
	var all []answer
	for _, o := range found {
		answers, err := answersWithin(o, 0)
		if err != nil {
			return answer{}, err
		}
		all = append(all, answers...)
	}
	if len(all) == 0 {
		return answer{}, errNoVerdict
	}
	first := all[0]
	for _, a := range all {
		switch {
		case a.passed != first.passed:
			return answer{}, errVerdicts
		case a.passed && a.defect != "":
			return answer{}, errPassDefect
		}
	}
	if !first.passed && first.defect == "" {
		return answer{}, errFailNothing
	}
	return first, nil
}

// Fields by the names that models give them, in small letters without signs.
var (
	verdictFields  = fold.WordSet("verdict finalverdict result outcome decision judgement judgment answer conclusion urteil ergebnis")
	passedFields   = fold.WordSet("passed pass passes met fulfilled satisfied delivered found ismet success")
	failedFields   = fold.WordSet("failed fail unmet")
	evidenceFields = fold.WordSet("evidence quote quotation quotes passage citation proof excerpt quotedevidence evidencequote beleg zitat")
	defectFields   = fold.WordSet("defect defects issue issues problem problems gap gaps deficiency flaw shortcoming missing whatismissing mangel")
	signs          = regexp.MustCompile(`[^\pL\pN]+`)
)

// member is a field of an object, with its name as the model wrote it.
type member struct {
	name  string
	value any
}

// decoded is a value of JSON: nil, a bool, a json.Number, a string, a list of
// values, or an object, which is a list of members: a name may stand there twice.
func decoded(d *json.Decoder) any {
	token, _ := d.Token() // what objectsIn writes is valid
	delim, ok := token.(json.Delim)
	if !ok {
		return token
	}
	list, object := []any{}, []member{}
	for d.More() {
		if delim == '[' {
			list = append(list, decoded(d))
			continue
		}
		name, _ := d.Token()
		object = append(object, member{fmt.Sprint(name), decoded(d)})
	}
	_, _ = d.Token()
	if delim == '[' {
		return list
	}
	return object
}

// answersOf are the answers that an object is or holds.
func answersOf(o []member, depth int) (all []answer, err error) {
	var a answer
	var inner []any
	verdicts, vague := 0, false
	say := func(passed bool) {
		if verdicts++; verdicts > 1 && passed != a.passed {
			err = errVerdicts
		}
		a.passed = passed
	}
	for _, f := range o {
		name := signs.ReplaceAllString(strings.ToLower(f.name), "")
		text, plain := textOf(f.value)
		switch {
		case verdictFields[name] && plain && !strings.Contains(text, "{"):
			passed, ok := verdictOf(text)
			switch {
			case ok:
				say(passed)
			case name == "verdict":
				return nil, errVerdict
			default:
				vague = true
			}
		case (passedFields[name] || failedFields[name]) && isBool(f.value):
			passed, _ := verdictOf(text)
			say(passed == passedFields[name])
		case evidenceFields[name]:
			a.evidence = append(a.evidence, quotesOf(f.value)...)
		case defectFields[name] && plain && !isBool(f.value) && !noDefect(text):
			a.defect = strings.TrimSpace(a.defect + " " + text)
		default:
			inner = append(inner, f.value)
		}
	}
	if verdicts > 0 || err != nil {
		return []answer{a}, err
	}
	if all, err = answersWithin(inner, depth+1); len(all) == 0 && err == nil && vague {
		err = errVerdict
	}
	return all, err
}

// answersWithin looks for answers in a value.
func answersWithin(v any, depth int) (all []answer, err error) {
	var values []any
	switch v := v.(type) {
	case []member:
		return answersOf(v, depth)
	case []any:
		values = v
	case json.RawMessage:
		d := json.NewDecoder(bytes.NewReader(v))
		d.UseNumber()
		return answersWithin(decoded(d), depth)
	case string:
		if found, failed := objectsIn(v); failed == nil && depth < 5 {
			for _, o := range found {
				values = append(values, o)
			}
		}
	}
	for _, v := range values {
		more, err := answersWithin(v, depth+1)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	return all, nil
}

// textOf is a value as a text. plain tells whether it is one, or a list of texts.
func textOf(v any) (text string, plain bool) {
	switch v := v.(type) {
	case string:
		return strings.TrimSpace(v), true
	case nil:
		return "", true
	case bool, json.Number:
		return fmt.Sprint(v), true
	case []any:
		var parts []string
		for _, e := range v {
			s, ok := textOf(e)
			if !ok {
				return "", false
			}
			parts = append(parts, s)
		}
		return strings.Join(parts, ", "), true
	}
	return "", false
}

// quotesOf are the quotes that a value holds.
func quotesOf(v any) (quotes []string) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			quotes = append(quotes, quotesOf(e)...)
		}
	case []member:
		for _, f := range v {
			if name := strings.ToLower(f.name); evidenceFields[name] || name == "text" || name == "content" {
				quotes = append(quotes, quotesOf(f.value)...)
			}
		}
	default:
		if s, _ := textOf(v); s != "" {
			quotes = append(quotes, s)
		}
	}
	return quotes
}

func isBool(v any) bool {
	text, ok := textOf(v)
	return ok && bools[strings.ToLower(text)]
}

var bools = fold.WordSet("true false yes no")

// Words for verdicts, and words around them that say nothing.
var (
	passWords = fold.WordSet(`passed pass passes passing yes y met meet meets true fulfilled fulfills satisfied satisfy satisfies found delivered deliver delivers ok okay success
		successful succeeded present complete completed done achieved accepted approved correct bestanden erfullt ja vorhanden geliefert 通过 是 合格 满足 符合 ✅ ✓ ✔`)
	failWords  = fold.WordSet("failed fail fails failing no n unmet false unfulfilled unsatisfied missing absent incomplete rejected incorrect nein fehlt 失败 否 不合格 缺失 ❌ ✗ ✘")
	negations  = fold.WordSet("not isnt doesnt didnt wasnt nicht 未 不")
	emptyWords = fold.WordSet("the a is was it has been does did do criterion item verdict work fully requirement requirements 已 了")
)

// verdictOf reads a verdict in its many words.
func verdictOf(text string) (passed, ok bool) {
	text = strings.NewReplacer("_", " ", "-", " ", "'", "", "’", "", "\ufe0f", "", "ü", "u").Replace(strings.ToLower(text))
	for _, no := range []string{"未", "不"} {
		if rest, ok := strings.CutPrefix(text, no); ok && !failWords[text] {
			text = no + " " + rest
		}
	}
	negated := false
	for _, w := range strings.Fields(text) {
		w = strings.Trim(w, ".,:;!*\"'`“”()[]。！")
		says, fails := passWords[w], failWords[w]
		switch {
		case negations[w] && !negated:
			negated = true
			continue
		case w == "" || emptyWords[w]:
			continue
		case !says && !fails || negated && fails:
			return false, false
		}
		if says = says != negated; ok && says != passed {
			return false, false // it says both
		}
		passed, ok, negated = says, true, false
	}
	return passed, ok && !negated
}

// Words in which a model says that there is no defect: one of the first at least
// and of the others any number.
var (
	noWords     = fold.WordSet("none null nil no nothing 0 na keine kein nichts 无 没 未")
	defectWords = fold.WordSet(`a n any defect defects issue issues problem problems gap gaps found identified detected observed noted missing is are was were there
		that the of in work not applicable all good mangel gefunden fehlt 有 缺 陷 问 题 发 现`)
)

// noDefect tells whether a text says that there is no defect.
func noDefect(text string) bool {
	no := false
	words := fold.Words(text)
	for _, w := range words {
		no = no || noWords[w]
		if !noWords[w] && !defectWords[w] {
			return false
		}
	}
	return no || len(words) == 0 || fmt.Sprint(words) == "[n a]"
}
