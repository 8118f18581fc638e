package main

// busCmd groups what belongs to a NATS server of one's own.
type busCmd struct {
	Config busConfigCmd `cmd:"" help:"Print the configuration of a nats-server with the account wall, and create the keys."`
}
