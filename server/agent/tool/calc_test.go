package tool

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"
)

func TestEvaluate(t *testing.T) {
	for expr, want := range map[string]float64{
		"1":                        1,
		" 2 + 3 * 4 ":              14,
		"(2 + 3) * 4":              20,
		"2 ^ 3 ^ 2":                512,
		"-2 ^ 2":                   -4,
		"2 ^ -1":                   0.5,
		"--3":                      3,
		"+3 - -2":                  5,
		"7 % 4 * 2":                6,
		"1 / 4":                    0.25,
		"1.5e3 + .5":               1500.5,
		"2e":                       math.NaN(),
		"2 * pi":                   2 * math.Pi,
		"E":                        math.E,
		"sqrt(16) + abs(-3)":       7,
		"max(1, 5, 3) - min(4, 2)": 3,
		"ROUND(2.5)":               3,
		"log(1000)":                3,
		"ln(e)":                    1,
		"sin(0) + cos(0)":          1,
	} {
		got, err := Evaluate(expr)
		if math.IsNaN(want) {
			if err == nil {
				t.Errorf("%s is %v", expr, got)
			}
			continue
		}
		if err != nil || math.Abs(got-want) > 1e-12 {
			t.Errorf("%s is %v, %v; want %v", expr, got, err, want)
		}
	}
}

func TestWhatIsWrongWithAnExpressionAndWhere(t *testing.T) {
	for expr, want := range map[string]string{
		"":             "column 1: there is nothing to compute",
		"  ":           "column 3: there is nothing to compute",
		"1 +":          "column 4: the expression ends too early; a number is missing",
		"1 + * 2":      "column 5: '*' is not expected here",
		"(1 + 2":       "column 1: this parenthesis is never closed",
		"1 + (2 * (3)": "column 5: this parenthesis is never closed",
		"1 + 2)":       "column 6: ')' is not expected here",
		"1 / 0":        "column 3: division by zero",
		"1 % (2 - 2)":  "column 3: division by zero",
		"2 2":          "column 3: '2' is not expected here",
		"1 ü 2":        "column 3: 'ü' is not expected here",
		"ü":            "column 1: 'ü' is not expected here",
		"foo(1)":       `column 1: "foo" is neither a function nor a constant here`,
		"sqrt 4":       "column 6: sqrt needs a parenthesis: sqrt(...)",
		"sqrt(1, 2)":   "column 1: sqrt does not take 2 values",
		"sqrt(-1)":     "column 1: sqrt of -1 is no finite number",
		"ln(0)":        "column 1: ln of 0 is no finite number",
		"10 ^ 400":     "column 4: 10 ^ 400 is no finite number",
		"1e308 * 10":   "column 1: the result is no finite number",
		"1e999":        `column 1: "1e999" is no number that can be computed with`,
		".":            `column 1: "." is no number that can be computed with`,
		"max()":        "column 5: ')' is not expected here",
	} {
		_, err := Evaluate(expr)
		var wrong *CalcError
		if !errors.As(err, &wrong) || err.Error() != want {
			t.Errorf("%q: got %v, want %s", expr, err, want)
		}
	}
}

func TestLimitsOfExpressions(t *testing.T) {
	if _, err := Evaluate("1" + strings.Repeat(" ", MaxExpr-1)); err != nil {
		t.Errorf("at the length: %v", err)
	}
	if _, err := Evaluate("1" + strings.Repeat(" ", MaxExpr)); err == nil {
		t.Error("over the length it is computed")
	}
	if _, err := Evaluate(strings.Repeat("(", MaxDepth-1) + "1" + strings.Repeat(")", MaxDepth-1)); err != nil {
		t.Errorf("at the depth: %v", err)
	}
	if _, err := Evaluate(strings.Repeat("-", MaxDepth) + "1"); err == nil || !strings.Contains(err.Error(), "nested") {
		t.Errorf("over the depth: %v", err)
	}
}

func TestFormat(t *testing.T) {
	for value, want := range map[float64]string{0: "0", 42: "42", -0.5: "-0.5", 0.1 + 0.2: "0.3", 1e15: "1e+15", 123456789012345: "123456789012345", 1e-7: "1e-07", 2.0 / 3: "0.666666666666667"} {
		if got := Format(value); got != want {
			t.Errorf("%v is written %s, want %s", value, got, want)
		}
	}
}

func FuzzEvaluate(f *testing.F) {
	for _, seed := range []string{"1 + 2", "sqrt(4)^2", "((", "-1e5%3", "max(1,2", "é"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, expr string) {
		value, err := Evaluate(expr)
		var wrong *CalcError
		switch {
		case err == nil && (math.IsNaN(value) || math.IsInf(value, 0)):
			t.Errorf("%q is %v", expr, value)
		case err != nil && !errors.As(err, &wrong):
			t.Errorf("%q: %v", expr, err)
		case err != nil && wrong.Column < 1:
			t.Errorf("%q: column %d", expr, wrong.Column)
		}
	})
}

func TestTools(t *testing.T) {
	at := time.Date(2026, 3, 1, 23, 30, 0, 0, time.UTC)
	tools := map[string]Tool{}
	for _, tool := range Default(func() time.Time { return at }) {
		tools[tool.Name] = tool
		if !json.Valid(tool.Schema.InputSchema) || !json.Valid(tool.Schema.OutputSchema) || tool.Schema.Description == "" || tool.Schema.RequiresApproval {
			t.Errorf("%s has the schema %+v", tool.Name, tool.Schema)
		}
	}
	for _, c := range []struct{ tool, arguments, want, wrong string }{
		{"calculator", `{"expr":"6*7"}`, `{"text":"42","value":42}`, ""},
		{"calculator", `{"expr":"6*"}`, "", "column 3"},
		{"calculator", `{}`, "", `needs {"expr"`},
		{"calculator", `{"expr":7}`, "", `needs {"expr"`},
		{"clock", `{}`, `{"time":"2026-03-01T23:30:00Z","unix":1772407800,"weekday":"Sunday"}`, ""},
		{"clock", `{"zone":"Local"}`, `{"time":"2026-03-01T23:30:00Z","unix":1772407800,"weekday":"Sunday"}`, ""},
		{"clock", `{"zone":"Nowhere/Town"}`, "", "no time zone"},
		{"clock", `{"zone":1}`, "", "takes"},
	} {
		out, err := tools[c.tool].Run(context.Background(), json.RawMessage(c.arguments))
		if string(out) != c.want || (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s %s: %s, %v", c.tool, c.arguments, out, err)
		}
	}
}
