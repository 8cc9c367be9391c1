package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"parley/wasm/ask"
	"parley/wasm/room"
	"parley/wasm/verify"
)

// MaxRecord is the longest decision record that is read, in bytes.
const MaxRecord = 64 << 20

var verifyCommand = command{"verify", takesFile, "check an exported decision record", runVerify}

// runVerify checks the signatures of a decision record and says what was
// decided.
func runVerify(ctx context.Context, args []string, out, _ io.Writer) error {
	flags := flag.NewFlagSet("verify", flag.ContinueOnError)
	name := ""
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		name, args = args[0], args[1:]
	}
	if err := parse(flags, takesFile, args, out); err != nil {
		return err
	}
	if name == "" {
		return usageError{"parley verify", errors.New("name the file to check: parley verify decision.json")}
	}
	checked := make(chan error, 1)
	go func() { checked <- checkFile(name, out) }() // ends with the program
	select {
	case err := <-checked:
		return err
	case <-ctx.Done(): // as when the file is a pipe that nobody writes to
		return errors.New("interrupted")
	}
}

func checkFile(name string, out io.Writer) error {
	data, err := readRecord(name)
	if err != nil {
		return err
	}
	record, err := ask.ParseRecord(data)
	if err != nil {
		return fmt.Errorf("%s is no decision record: %w", name, err)
	}
	view, err := ask.CheckRecord(record, verify.Event, time.Now().Unix())
	if err != nil {
		return fmt.Errorf("%s does not hold:\n%w", name, err)
	}
	fmt.Fprintf(out, "All %d signatures hold.\n", 1+len(record.Events))
	tell(out, view)
	return nil
}

func readRecord(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, MaxRecord+1))
	if err != nil {
		return nil, err
	}
	if len(data) > MaxRecord {
		return nil, fmt.Errorf("%s is over %d MiB long; no decision record is", name, MaxRecord>>20)
	}
	return data, nil
}

// tell writes what was decided. Texts of strangers are quoted, so that they
// cannot play with a terminal.
func tell(out io.Writer, v ask.View) {
	fmt.Fprintf(out, "Question: %q\nAsked by: %s\n", v.Text, room.NPub(v.Asker))
	fmt.Fprintf(out, "State:    %s\n", v.State)
	if v.Reason != "" {
		fmt.Fprintf(out, "Why:      %s\n", v.Reason)
	}
	for _, e := range v.History {
		verdict := "counts, and settles it"
		switch {
		case !e.Counts:
			verdict = "does not count: " + e.Reason
		case !e.Settles:
			verdict = "counts, and settles nothing: " + e.Reason
		}
		fmt.Fprintf(out, "Answer:   %s %s by %s (%s)\n", time.Unix(e.At, 0).UTC().Format(time.RFC3339), answerWords(e), room.NPub(e.By), verdict)
	}
}

func answerWords(e ask.Entry) string {
	words := string(e.Act)
	for _, o := range e.Choices {
		words += fmt.Sprintf(" %q", o.Label)
	}
	if e.Text != "" {
		words += fmt.Sprintf(" %q", e.Text)
	}
	return words
}
