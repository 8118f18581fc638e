package main

// commission is what an author is asked: schemas/author-request.json.
type commission struct {
	Decomposition struct {
		Domains []struct {
			Domain string `json:"domain"`
		} `json:"domains"`
	} `json:"decomposition"`
	Quota map[string]int `json:"quota"`
}

// draft is what an author answers: schemas/author-reply.json.
type draft struct {
	Criteria []criterion `json:"criteria"`
	Model    string      `json:"model"`
}

type criterion struct {
	Category  string            `json:"category"`
	Assertion string            `json:"assertion"`
	Expected  string            `json:"expected"`
	Check     string            `json:"check,omitempty"`
	Messages  map[string]string `json:"messages"`
}

// rules are the rules of a house, the same for every task. A message names what is
// missing and does not repeat the criterion. Without a check, judges read the
// bundle.
var rules = []struct {
	criterion
	message string
}{
	{criterion{Category: "happy_path", Assertion: "The document begins with a heading", Expected: "At least one heading", Check: "text.headings().size() > 0"},
		"Headings are missing"},
	{criterion{Category: "completeness", Assertion: "Nothing is left to be filled in later", Expected: "No placeholder such as TBD", Check: "text.placeholders().size() == 0"},
		"Placeholders are left over"},
	{criterion{Category: "error_handling", Assertion: "The document says who is told when personal data is lost", Expected: "A person or an office, and a time"},
		"Nobody is named as contact after a loss of personal data"},
	{criterion{Category: "security", Assertion: "The document says how long personal data is kept", Expected: "A period, or that none is kept"},
		"Storage period of personal data not given"},
}

const authorModel = "example-house-rules 1.0.0"

// write asks for the house's rules. Put your model or your knowledge in its
// place.
func write(c commission) draft {
	d := draft{Criteria: []criterion{}, Model: authorModel}
	for _, rule := range rules {
		if c.Quota[rule.Category] == 0 {
			continue
		}
		c.Quota[rule.Category]--
		own := rule.criterion
		own.Messages = map[string]string{}
		for _, domain := range c.Decomposition.Domains {
			own.Messages[domain.Domain] = rule.message
		}
		d.Criteria = append(d.Criteria, own)
	}
	return d
}
