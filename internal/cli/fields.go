package cli

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// FlagsOf returns the flags that the fields of a command's options describe, in the order of the fields. A tag has the
// name of the flag, the placeholder of its value, and what it does:
//
//	Strict bool   `flag:"strict: stop at the first damaged line"`
//	Limit  int    `flag:"limit N: stop after N hits" least:"1" short:"n" default:"all"`
//	Title  string `flag:"title TITLE: what the session is about"`
//
// A flag without words is hidden. Options that commands share make their own flags in a method Flag or Flags, which may
// take the tag usage. A flag that the command has made takes the place of the tag with its name, or comes last.
func FlagsOf(options any, made ...Flag) (flags []Flag) {
	fields := reflect.ValueOf(options).Elem()
	for i := range fields.NumField() {
		if field := fields.Type().Field(i); field.IsExported() {
			flags = append(flags, fieldFlags(field.Tag, fields.Field(i).Addr().Interface(), made)...)
		}
	}
	for _, f := range made {
		isThere := func(other Flag) bool { return other.Name == f.Name }
		if !slices.ContainsFunc(flags, isThere) {
			flags = append(flags, f)
		}
	}
	return flags
}

// fieldFlags returns the flags that set what a field holds.
func fieldFlags(tag reflect.StructTag, field any, made []Flag) []Flag {
	head, usage, _ := strings.Cut(tag.Get("flag"), ": ")
	name, value, _ := strings.Cut(head, " ")
	if at := slices.IndexFunc(made, func(f Flag) bool { return f.Name == name }); at >= 0 {
		return made[at : at+1]
	}
	var f Flag
	switch dst := field.(type) {
	case interface{ Flags() []Flag }:
		return dst.Flags()
	case interface{ Flags(usage string) []Flag }:
		return dst.Flags(tag.Get("usage"))
	case interface{ Flag() Flag }:
		f = dst.Flag()
	case interface{ Flag(usage string) Flag }:
		f = dst.Flag(tag.Get("usage"))
	default:
		if name == "" {
			return nil
		}
		least, _ := strconv.Atoi(tag.Get("least"))
		f = plainFlag(dst, name, value, usage, least)
	}
	f.short, f.Fallback = cmp.Or(tag.Get("short"), f.short), cmp.Or(tag.Get("default"), f.Fallback)
	f.Hidden = f.Usage == ""
	return []Flag{f}
}

// plainFlag returns the flag that sets a field.
func plainFlag(field any, name, value, usage string, least int) Flag {
	switch dst := field.(type) {
	case *bool:
		return SwitchFlag(dst, name, usage)
	case *string:
		return RequiredTextFlag(dst, name, value, usage)
	case *int:
		return CountFlag(dst, name, value, least, usage)
	case *int64:
		return SizeFlag(dst, name, usage)
	case **int64:
		return TokensFlag(dst, name, int64(least), usage)
	}
	return ListFlag(field.(*[]string), name, value, usage, false)
}
