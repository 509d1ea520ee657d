//go:build !unix

package rootedtest

import "errors"

func makePipe(string) error { return errors.ErrUnsupported }
