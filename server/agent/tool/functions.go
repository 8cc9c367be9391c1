package tool

import "math"

// constants and functions that an expression may name.
var constants = map[string]float64{"pi": math.Pi, "e": math.E, "tau": 2 * math.Pi}

// function takes least to most arguments; most is -1 for any number.
type function struct {
	least, most int
	apply       func(args []float64) float64
}

func one(f func(float64) float64) function {
	return function{1, 1, func(args []float64) float64 { return f(args[0]) }}
}

func fold(f func(a, b float64) float64) function {
	return function{1, -1, func(args []float64) float64 {
		value := args[0]
		for _, next := range args[1:] {
			value = f(value, next)
		}
		return value
	}}
}

var functions = map[string]function{
	"sqrt": one(math.Sqrt), "abs": one(math.Abs), "round": one(math.Round), "floor": one(math.Floor),
	"ceil": one(math.Ceil), "ln": one(math.Log), "log": one(math.Log10), "exp": one(math.Exp),
	"sin": one(math.Sin), "cos": one(math.Cos), "tan": one(math.Tan),
	"min": fold(math.Min), "max": fold(math.Max),
}

// name reads a constant or a call.
func (c *calc) name() (float64, error) {
	from := c.at
	for c.at < len(c.text) && (isLetter(c.text[c.at]) || c.text[c.at] >= '0' && c.text[c.at] <= '9') {
		c.at++
	}
	word := lower(c.text[from:c.at])
	c.skip()
	f, ok := functions[word]
	if !ok {
		if value, ok := constants[word]; ok {
			return value, nil
		}
		return 0, c.fail(from, "%q is neither a function nor a constant here", word)
	}
	args, err := c.arguments(word)
	switch {
	case err != nil:
		return 0, err
	case len(args) < f.least || f.most >= 0 && len(args) > f.most:
		return 0, c.fail(from, "%s does not take %d values", word, len(args))
	}
	value := f.apply(args)
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return 0, c.fail(from, "%s of %s is no finite number", word, Format(args[0]))
	}
	return value, nil
}

func (c *calc) arguments(word string) ([]float64, error) {
	open := c.at
	if c.operator("(") == 0 {
		return nil, c.fail(c.at, "%s needs a parenthesis: %s(...)", word, word)
	}
	var args []float64
	for {
		value, err := c.sum()
		if err != nil {
			return nil, err
		}
		args = append(args, value)
		switch {
		case c.operator(",") != 0:
		case c.operator(")") != 0:
			return args, nil
		default:
			return nil, c.unclosed(open)
		}
	}
}

func lower(s string) string { // only letters and digits come here
	b := []byte(s)
	for i := range b {
		if b[i] >= 'A' && b[i] <= 'Z' {
			b[i] |= 0x20
		}
	}
	return string(b)
}
