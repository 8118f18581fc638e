package check

import "strings"

// numberWords are the numbers that are written as words.
var numberWords = map[string]int{
	"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
	"eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13,
	"fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
	"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}

// hedgeWords before a number say that it is not meant exactly.
var hedgeWords = wordSet(`about around roughly approximately approx circa ca nearly almost over under above below least most
	than exceeds exceeding beyond within maybe perhaps estimated est minimum maximum between upto until etwa rund fast some only_about`)

// labelWords before a number make it a name: phase 2, week 3, HTTP 404.
var labelWords = wordSet(`phase step version v option section week day tier level layer stage chapter part milestone sprint
	release year http status code port type category priority figure fig table requirement point item api page line iteration
	round rev revision build issue ticket pr no number nr nos question task group team room cycle q quarter month rule
	article appendix scenario case test attempt try node worker shard region zone class grade gen generation
	score scored rating rated rates ranked rank season volume track lane slot batch wave run exit error row column col
	phases steps versions options sections weeks days tiers levels layers stages chapters parts milestones sprints releases
	pages lines iterations rounds issues tickets prs questions tasks groups teams cycles quarters months rules cases nodes
	workers shards regions zones columns rows`)

// totalWords mark a row, a column or an item as the sum of the others.
var totalWords = wordSet(`total totals sum overall gesamt summe insgesamt subtotal`)

// units gives the canonical form of the measuring units. Numbers of different
// units are never added up.
var units = canonical(`s:sec,secs,second,seconds ms:millisecond,milliseconds,msec min:mins,minute,minutes h:hr,hrs,hour,hours
	d:day,days wk:week,weeks,w mo:month,months yr:year,years,y
	B:byte,bytes bit:bits KB:kb,kilobyte,kilobytes,kB MB:mb,megabyte,megabytes GB:gb,gigabyte,gigabytes TB:tb,terabyte,terabytes PB:petabyte,petabytes EB:exabyte,exabytes
	PB: EB: KiB:kibibytes MiB:mebibytes GiB:gibibytes TiB:tebibytes Mbps: Gbps: kbps:
	k:K,thousand million:M,mn,mio,millions billion:bn,billions,G trillion: hundred: dozen:dozens
	m:meter,meters,metre,metres km:kilometer,kilometers,kilometre,kilometres cm: mm: kg: g:gram,grams mg: t:tons,tonnes l:liter,liters,litre,litres ml:
	Hz: kHz: MHz: GHz: V: W:watt,watts kW: kWh: °C: °F: px: pt: em: rem: µs:us,μs,microsecond,microseconds ns:nanosecond,nanoseconds x: pp:
	USD:dollar,dollars EUR:euro,euros GBP:pounds CHF: JPY: ct:cent,cents %:percent,pct`)

func canonical(s string) map[string]string {
	m := map[string]string{}
	for _, f := range strings.Fields(s) {
		name, others, _ := strings.Cut(f, ":")
		m[name] = name
		for _, o := range strings.Split(others, ",") {
			if o != "" {
				m[o] = name
			}
		}
	}
	return m
}

// unitOf is the canonical form of a unit that is joined to a number.
func unitOf(s string) string {
	if u, ok := units[s]; ok {
		return u
	}
	if u, ok := units[strings.ToLower(s)]; ok {
		return u
	}
	return s
}

// currencyCodes may stand before an amount.
var currencyCodes = wordSet(`USD EUR GBP CHF JPY CAD AUD`)
