package run

import "strconv"

// Pricing is pricing_hints: money per 1,000 tokens.
type Pricing struct {
	Currency          string  `json:"currency"`
	Per1kPromptTokens float64 `json:"per_1k_prompt_tokens"`
	Per1kOutputTokens float64 `json:"per_1k_output_tokens"`
}

// Cost is what a run of this usage costs by the agent's hints, nil when it gives
// none.
func (i *Info) Cost(u Usage) *Price {
	p := i.Pricing
	if p == nil {
		return nil
	}
	return &Price{Currency: p.Currency,
		Amount: (float64(u.InputTokens)*p.Per1kPromptTokens + float64(u.OutputTokens)*p.Per1kOutputTokens) / 1000}
}

// bytesPerToken is the usual rule of thumb for text.
const bytesPerToken = 4

// EstimateTokens guesses the tokens of a text.
func EstimateTokens(text string) int64 { return (int64(len(text)) + bytesPerToken - 1) / bytesPerToken }

// EstimatePrompt is what sending text costs at least, before any answer; nil
// when the agent gives no hints.
func (i *Info) EstimatePrompt(text string) *Price {
	return i.Cost(Usage{InputTokens: EstimateTokens(text)})
}

// readPricing reads the hints leniently: the schema only asks for an object.
// Without a currency and a price there are none.
func readPricing(raw string) *Pricing {
	o := &object{fields: decodeFields(raw)}
	p := &Pricing{Currency: o.words("currency")}
	in, okIn := o.number("per_1k_prompt_tokens")
	out, okOut := o.number("per_1k_output_tokens")
	if p.Currency == "" || !okIn && !okOut {
		return nil
	}
	p.Per1kPromptTokens, p.Per1kOutputTokens = in, out
	return p
}

// number reads a price: finite and not negative.
func (o *object) number(name string) (float64, bool) {
	v, ok := o.raw(name)
	if !ok || len(v) == 0 || v[0] < '0' || v[0] > '9' {
		return 0, false
	}
	n, err := strconv.ParseFloat(string(v), 64)
	return n, err == nil
}
