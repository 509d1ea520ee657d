// Command empty does nothing. It shows how long a Go program takes to start.
package main

func main() {}
