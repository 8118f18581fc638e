package check

// figureWord is what a word has to do with figures.
type figureWord struct {
	value   float64
	article bool
	each    bool      // a figure only of time: each day is one day
	whole   bool      // it says 100 %
	once    *timeUnit // it says "once in each"
	time    bool      // it names a time
}

var figureWords = func() map[string]figureWord {
	m := map[string]figureWord{
		"a": {value: 1, article: true}, "an": {value: 1, article: true}, "half": {value: 0.5, article: true},
		"per": {value: 1, each: true}, "each": {value: 1, each: true, whole: true}, "every": {value: 1, each: true, whole: true},
		"all": {whole: true}, "full": {whole: true}, "fully": {whole: true}, "complete": {whole: true}, "completely": {whole: true},
		"entire": {whole: true}, "entirely": {whole: true}, "whole": {whole: true}, "always": {whole: true},
	}
	for w, n := range numberWords {
		m[w] = figureWord{value: float64(n)}
	}
	for i := range timeUnitList {
		u := &timeUnitList[i]
		for _, w := range u.once {
			m[w] = figureWord{once: u}
		}
		for _, w := range u.names[len(u.names)-2:] { // the short names are too short to be told alone
			m[w] = figureWord{time: true}
		}
	}
	return m
}()

var figureShapes = shapesOf(figureWords)
