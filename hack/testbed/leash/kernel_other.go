//go:build unix && !linux

package main

import "syscall"

// wakeUp is what the kernel would send when the parent ends; only Linux does.
const wakeUp = syscall.SIGUSR2

func askToBeWoken() {}

// ownGroup puts the program into a group of its own, so that all that it starts can be signalled together.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
