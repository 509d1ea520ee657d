package main

// version is the release this source becomes.
const version = "0.1.0-dev"
