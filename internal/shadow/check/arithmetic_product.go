package check

import (
	"math/big"
	"strings"
)

// priceColumns head what one of something costs or has.
var priceColumns = wordSet(`unit each per price rate`)

// amountColumns head what all of it comes to.
var amountColumns = wordSet(`total totals amount cost costs sum subtotal value`)

// adjusted are words by which the amount of a row is not the plain product.
var adjusted = wordSet(`free discount discounted rebate included waived flat minimum min max capped tier tax vat shipping credit bundle average avg mean
	median median p50 p95 p99 score weight weighted`)

// products checks the rows of a table of quantities, prices and amounts. Other
// things may come into an amount, so a row is wrong only where more rows are
// right, and the table has no other numbers.
func (c *checker) products(t *Table) {
	quantity, price, amount := productColumns(t)
	if amount < 0 || !c.spend(1) {
		return
	}
	g := c.grid(t)
	for k := range t.Header {
		if k != quantity && k != price && k != amount && k > 0 && g.someNumbers(k) {
			return
		}
	}
	right := 0
	var wrong []int
	var want []*big.Rat
	units := [3]string{}
	for r := range t.Rows {
		if g.kinds[r] != rowPlain {
			continue
		}
		n, p, a := g.at(r, quantity), g.at(r, price), g.at(r, amount)
		for i, cl := range [...]*cell{n, p, a} {
			if cl.kind != cellNumber || cl.neg || cl.num.percent() || scales[cl.num.unit] {
				return
			}
			if right+len(wrong) > 0 && cl.num.unit != units[i] {
				return // 30 min at $60 an hour
			}
			units[i] = cl.num.unit
		}
		if !c.spend(3) {
			return
		}
		product := multiply(n.num.rounded(), p.num.rounded())
		if shows(product, &a.num, false, false, false) {
			right++
			continue
		}
		if containsWord(strings.Join(t.Rows[r], " "), adjusted) {
			continue
		}
		v := new(big.Rat).Mul(n.num.rat(), p.num.rat())
		if !roughly(a.num.rat(), v) {
			return // no product
		}
		wrong, want = append(wrong, r), append(want, v)
	}
	if right <= len(wrong) {
		return
	}
	for i, r := range wrong {
		c.add(Finding{Line: t.RowNos[r], Claim: shorten(t.Rows[r][0] + ", " + t.Header[amount] + ": " + t.Rows[r][amount]),
			States: t.Rows[r][amount], ShouldBe: format(want[i], &g.at(r, amount).num)})
	}
}

// productColumns finds the columns of a quantity, of what one of it costs, and
// of what it comes to, in this order; -1 if the headers do not name them.
func productColumns(t *Table) (quantity, price, amount int) {
	amount = len(t.Header) - 1
	for amount > 1 && !containsWord(t.Header[amount], amountColumns) { // notes
		amount--
	}
	if amount < 2 {
		return -1, -1, -1
	}
	price = -1
	for k := 1; k < amount; k++ {
		if containsWord(t.Header[k], adjusted) {
			return -1, -1, -1
		}
		if containsWord(t.Header[k], priceColumns) {
			if price >= 0 {
				return -1, -1, -1
			}
			price = k
		}
	}
	if price < 0 || containsWord(t.Header[amount], adjusted) || price+1 != amount && price+2 != amount {
		return -1, -1, -1
	}
	if quantity = price - 1; price+2 == amount { // Unit price | Qty | Total
		quantity = price + 1
	}
	if quantity == 0 && len(t.Header) > 3 {
		return -1, -1, -1
	}
	return quantity, price, amount
}

// someNumbers tells whether a cell of column k holds a number.
func (g *grid) someNumbers(k int) bool {
	for r := range g.t.Rows {
		if cl := g.at(r, k); cl.kind == cellNumber || cl.of != nil {
			return true
		}
	}
	return false
}
