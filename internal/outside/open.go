package outside

import (
	"errors"
	"fmt"

	"dowse"
)

// Config describes an external judge as topic files do: a program or an
// endpoint, and when it is asked.
type Config struct {
	Exec     []string // program and arguments; or
	Endpoint string   // address of a service
	Model    string   // of the service
	KeyEnv   string   // environment variable with its key; default none
	About    string   // description of the topic, for the service
	Dir      string   // working folder of the program; default the current one

	Env func(name string) string // the environment; default an empty one
	Say func(line string)        // if set, called with the lines of the program's standard error
	Options
}

// Open returns the judge that a configuration describes, around the topic's own
// judge. Nothing is started or asked yet.
//
// The key is read from the environment now, and a missing one is an error here
// and not after an hour of crawling.
func Open(inner dowse.WindowJudge, c Config) (*Judge, error) {
	asker, err := c.asker()
	if err != nil {
		return nil, err
	}
	return New(inner, asker, c.Options)
}

func (c Config) asker() (Asker, error) {
	switch {
	case len(c.Exec) > 0 && c.Endpoint != "":
		return nil, errors.New("outside: both a program and an endpoint are given: give one of them")
	case len(c.Exec) > 0:
		return &Program{Command: c.Exec, Dir: c.Dir, Say: c.Say}, nil
	case c.Endpoint == "":
		return nil, errors.New("outside: neither a program nor an endpoint is given")
	case c.Model == "":
		return nil, errors.New("outside: endpoint: no model is given")
	}
	key, err := c.key()
	if err != nil {
		return nil, err
	}
	return NewEndpoint(Endpoint{URL: c.Endpoint, Model: c.Model, Key: key, About: c.About})
}

func (c Config) key() (string, error) {
	if c.KeyEnv == "" {
		return "", nil
	}
	if c.Env != nil {
		if key := c.Env(c.KeyEnv); key != "" {
			return key, nil
		}
	}
	return "", fmt.Errorf("outside: endpoint: the variable %s, which holds the key, is not set", c.KeyEnv)
}
