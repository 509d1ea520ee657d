package stats

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"clawctl/pkg/models"
	"clawctl/pkg/tokens"
)

// A Condition compares a field of a report with a number, such as "recorded.input > 5e6".
type Condition struct {
	text, field, operator string
	value                 float64
}

func (c Condition) String() string { return c.text }

// A ConditionProblem is a kind of error in a condition, in words about the wrong part of it.
type ConditionProblem string

// The problems that a condition can have.
const (
	ConditionForm    ConditionProblem = "expected a condition like 'recorded.input > 5e6', got %q"
	ConditionNumber  ConditionProblem = "%q is not a number"
	ConditionUnknown ConditionProblem = "unknown field %q"
	ConditionText    ConditionProblem = "the field %q is not a number"
	ConditionUnset   ConditionProblem = "the field %q is not collected" // only a report with other options has it
)

// A ConditionError says why a condition cannot be checked.
type ConditionError struct {
	Problem ConditionProblem
	Text    string // the complete condition
	Part    string // the part of it that is wrong
}

func (e *ConditionError) Error() string { return fmt.Sprintf(string(e.Problem), e.Part) }

var conditionForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*([A-Za-z_][\w.]*)\s*(>=|<=|==|!=|>|<)\s*([-+0-9.eE_]+)\s*$`)
})

// ParseCondition parses a condition for a report with opts. It fails unless the report will have the field and the
// field is a number, so nothing can go wrong after the sessions are read. Errors are of type *ConditionError.
func ParseCondition(text string, opts Options) (Condition, error) {
	m := conditionForm().FindStringSubmatch(text)
	if m == nil {
		return Condition{}, &ConditionError{ConditionForm, text, text}
	}
	value, err := strconv.ParseFloat(strings.ReplaceAll(m[3], "_", ""), 64)
	if err != nil {
		return Condition{}, &ConditionError{ConditionNumber, text, m[3]}
	}
	field, isKnown := emptyFields(opts)[m[1]]
	_, mayBeKnown := emptyFields(allOptions())[m[1]]
	switch {
	case field.isNumber:
		return Condition{text, m[1], m[2], value}, nil
	case isKnown:
		return Condition{}, &ConditionError{ConditionText, text, m[1]}
	case mayBeKnown:
		return Condition{}, &ConditionError{ConditionUnset, text, m[1]}
	}
	return Condition{}, &ConditionError{ConditionUnknown, text, m[1]}
}

// allOptions make a report with every field.
func allOptions() Options {
	return Options{Counter: tokens.Heuristic{}, Prices: &PriceList{}, Catalogue: models.New(nil)}
}

// A Verdict says whether a report meets a condition.
type Verdict struct {
	Holds bool
	// IsUnknown is set if there are answers and none of them has what the condition is about. It then does not hold.
	IsUnknown bool
	// IsAbsent is set if the report has no such number, because there is nothing to compare. It then does not hold.
	IsAbsent bool
	// Lacking is how many answers do not have it. The condition is about the others.
	Lacking int64
}

// Check compares a report with the condition.
func (c Condition) Check(r *Report) Verdict {
	var v Verdict
	if v.IsUnknown, v.Lacking = c.unknown(r); v.IsUnknown {
		return v
	}
	fields := reportFields{}
	fields.addStruct("", reflect.ValueOf(*r))
	field := fields[c.field]
	if v.IsAbsent = !field.isKnown; !v.IsAbsent {
		v.Holds = c.compare(field.number)
	}
	return v
}

// errNotOfRows is the error of a condition on a field that only the whole report has.
var errNotOfRows = errors.New("the field is not one of a row")

// OfRows checks that the rows of a report have the field of the condition.
func (c Condition) OfRows() error {
	if strings.HasPrefix(c.field, "coverage.") {
		return fmt.Errorf("%q: %w", c.field, errNotOfRows)
	}
	return nil
}

// CheckRow compares a row of a report with the condition.
func (c Condition) CheckRow(g *GroupReport) Verdict {
	r := &Report{TallyReport: g.TallyReport}
	if g.PricedUSD != nil { // what no pattern matches is unknown
		unmatched := max(0, g.Prices.Recorded+g.Prices.Zero+g.Prices.Missing-g.PricedAnswers)
		r.Coverage.Unmatched = &unmatched
	}
	return c.Check(r)
}

// unknown reports whether no answer has what the condition is about, and how many do not have it.
func (c Condition) unknown(r *Report) (isUnknown bool, lacking int64) {
	switch {
	case c.field == "recorded.cost_usd":
		return !r.CostKnown, r.NoCostStated
	case c.field == "priced_usd":
		unmatched := *r.Coverage.Unmatched
		return !r.UsageKnown || unmatched > 0 && r.PricedAnswers == 0, unmatched + r.NoUsageStated
	case c.field == "priced.cost_usd":
		return r.Priced.CostUSD == nil, r.Priced.lacking
	case c.field == "estimated.cost_usd":
		return r.Estimated.CostUSD == nil, r.Estimated.lacking
	case strings.HasPrefix(c.field, "recorded."):
		return !r.UsageKnown, r.NoUsageStated
	}
	return false, 0
}

func (c Condition) compare(n float64) bool {
	switch c.operator {
	case ">":
		return n > c.value
	case ">=":
		return n >= c.value
	case "<":
		return n < c.value
	case "<=":
		return n <= c.value
	case "==":
		return n == c.value
	}
	return n != c.value
}

// Field returns the name of the field that the condition is about.
func (c Condition) Field() string { return c.field }

type reportField struct {
	isNumber bool // as opposed to text, times, lists and objects
	isKnown  bool // as opposed to null
	number   float64
}

// reportFields holds the fields of a report by their paths in its JSON form. Reading them from the types makes every
// field of the report a field of conditions.
type reportFields map[string]reportField

// emptyFields returns the fields of a report before anything is counted.
func emptyFields(opts Options) reportFields {
	fields := reportFields{}
	fields.addStruct("", reflect.ValueOf(*NewReport(&Result{}, opts, 0)))
	if opts.Prices == nil {
		for _, name := range []string{"priced_usd", "coverage.answers_priced", "coverage.answers_unmatched"} {
			delete(fields, name) // always null without a price list: a condition on them would never hold
		}
	}
	return fields
}

// addStruct adds the fields of a struct below a path.
func (f reportFields) addStruct(path string, v reflect.Value) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous:
			f.addStruct(path, v.Field(i))
		case !field.IsExported() || field.Type == reflect.TypeFor[*Comparison]():
		case name != "-" && strings.Contains(field.Tag.Get("json"), "omitempty") && v.Field(i).IsZero():
		case name != "-":
			f.add(path+name, v.Field(i))
		}
	}
}

// add adds a value and everything inside it.
func (f reportFields) add(path string, v reflect.Value) {
	if v.Kind() == reflect.Pointer && v.IsNil() {
		kind := v.Type().Elem().Kind()
		f[path] = reportField{isNumber: kind == reflect.Int64 || kind == reflect.Float64}
		return
	}
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	switch {
	case v.CanInt():
		f[path] = reportField{true, true, float64(v.Int())}
		return
	case v.CanFloat():
		f[path] = reportField{true, true, v.Float()}
		return
	}
	f[path] = reportField{isKnown: true}
	switch v.Kind() {
	case reflect.Struct:
		f.addStruct(path+".", v)
	case reflect.Map:
		for _, key := range v.MapKeys() {
			f.add(path+"."+key.String(), v.MapIndex(key))
		}
	}
}
