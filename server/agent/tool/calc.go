package tool

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Limits of an expression.
const (
	MaxExpr  = 1000 // bytes
	MaxDepth = 100  // of parentheses, signs and powers
)

// CalcError says what is wrong with an expression and where: Column counts
// characters from 1.
type CalcError struct {
	Column int
	Text   string
}

func (e *CalcError) Error() string { return fmt.Sprintf("column %d: %s", e.Column, e.Text) }

// Evaluate computes an arithmetic expression. In order of strength: ^ (from the
// right), a sign before a number, * / % and + -. Names in lower or upper case.
// The error is a *CalcError.
func Evaluate(expr string) (float64, error) {
	if len(expr) > MaxExpr {
		return 0, &CalcError{1, fmt.Sprintf("the expression has %d bytes; at most %d are read", len(expr), MaxExpr)}
	}
	c := &calc{text: expr}
	c.skip()
	if c.at == len(c.text) {
		return 0, c.fail(c.at, "there is nothing to compute")
	}
	value, err := c.sum()
	if err == nil && c.at < len(c.text) {
		err = c.unexpected()
	}
	if err == nil && (math.IsInf(value, 0) || math.IsNaN(value)) {
		err = c.fail(0, "the result is no finite number")
	}
	if err != nil {
		return 0, err
	}
	return value, nil
}

// Format writes a result as people write numbers: no exponent unless the number
// is very large or small, and no digits that only rounding made.
func Format(value float64) string {
	if value == 0 {
		return "0"
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(value, 'g', 15, 64), 64)
	if size := math.Abs(rounded); size >= 1e15 || size < 1e-6 {
		return strconv.FormatFloat(rounded, 'g', -1, 64)
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// calc reads an expression from the left.
type calc struct {
	text  string
	at    int
	depth int
}

func (c *calc) fail(at int, format string, args ...any) error {
	return &CalcError{utf8.RuneCountInString(c.text[:at]) + 1, fmt.Sprintf(format, args...)}
}

func (c *calc) skip() {
	for c.at < len(c.text) && strings.IndexByte(" \t\r\n", c.text[c.at]) >= 0 {
		c.at++
	}
}

// operator takes one of these signs, 0 when another thing comes.
func (c *calc) operator(signs string) byte {
	if c.at == len(c.text) || strings.IndexByte(signs, c.text[c.at]) < 0 {
		return 0
	}
	sign := c.text[c.at]
	c.at++
	c.skip()
	return sign
}

func (c *calc) unexpected() error {
	if c.at == len(c.text) {
		return c.fail(c.at, "the expression ends too early; a number is missing")
	}
	r, _ := utf8.DecodeRuneInString(c.text[c.at:])
	return c.fail(c.at, "%q is not expected here", r)
}

func (c *calc) sum() (float64, error) {
	left, err := c.product()
	for err == nil {
		sign := c.operator("+-")
		if sign == 0 {
			break
		}
		var right float64
		if right, err = c.product(); sign == '+' {
			left += right
		} else {
			left -= right
		}
	}
	return left, err
}

func (c *calc) product() (float64, error) {
	left, err := c.signed()
	for err == nil {
		at := c.at
		sign := c.operator("*/%")
		if sign == 0 {
			break
		}
		var right float64
		right, err = c.signed()
		switch {
		case err != nil:
		case sign == '*':
			left *= right
		case right == 0:
			err = c.fail(at, "division by zero")
		case sign == '/':
			left /= right
		default:
			left = math.Mod(left, right)
		}
	}
	return left, err
}

func (c *calc) signed() (float64, error) {
	if err := c.enter(); err != nil {
		return 0, err
	}
	defer c.leave()
	switch c.operator("+-") {
	case '+':
		return c.signed()
	case '-':
		value, err := c.signed()
		return -value, err
	}
	return c.power()
}

func (c *calc) power() (float64, error) {
	base, err := c.atom()
	at := c.at
	if err != nil || c.operator("^") == 0 {
		return base, err
	}
	exponent, err := c.signed()
	if err != nil {
		return 0, err
	}
	value := math.Pow(base, exponent)
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return 0, c.fail(at, "%s ^ %s is no finite number", Format(base), Format(exponent))
	}
	return value, nil
}

// enter counts how deep it goes, so that no input can exhaust the stack.
func (c *calc) enter() error {
	if c.depth++; c.depth > MaxDepth {
		return c.fail(c.at, "nested more than %d deep", MaxDepth)
	}
	return nil
}

func (c *calc) leave() { c.depth-- }

func (c *calc) atom() (float64, error) {
	switch {
	case c.at == len(c.text):
		return 0, c.unexpected()
	case c.text[c.at] == '(':
		open := c.at
		c.operator("(")
		value, err := c.sum()
		if err == nil && c.operator(")") == 0 {
			err = c.unclosed(open)
		}
		return value, err
	case c.text[c.at] >= '0' && c.text[c.at] <= '9' || c.text[c.at] == '.':
		return c.number()
	case isLetter(c.text[c.at]):
		return c.name()
	}
	return 0, c.unexpected()
}

// unclosed: what comes is either wrong, or the end.
func (c *calc) unclosed(open int) error {
	if c.at == len(c.text) {
		return c.fail(open, "this parenthesis is never closed")
	}
	return c.unexpected()
}

func (c *calc) number() (float64, error) {
	from := c.at
	digits := func() {
		for c.at < len(c.text) && (c.text[c.at] >= '0' && c.text[c.at] <= '9') {
			c.at++
		}
	}
	digits()
	if c.at < len(c.text) && c.text[c.at] == '.' {
		c.at++
		digits()
	}
	if rest := c.text[c.at:]; len(rest) > 1 && (rest[0] == 'e' || rest[0] == 'E') {
		mark := c.at
		if c.at++; strings.IndexByte("+-", c.text[c.at]) >= 0 {
			c.at++
		}
		exponent := c.at
		if digits(); c.at == exponent {
			c.at = mark
		}
	}
	value, err := strconv.ParseFloat(c.text[from:c.at], 64)
	if err != nil {
		return 0, c.fail(from, "%q is no number that can be computed with", c.text[from:c.at])
	}
	c.skip()
	return value, nil
}

func isLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }
