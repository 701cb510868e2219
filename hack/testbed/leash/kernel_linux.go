package main

import "syscall"

// wakeUp is what the kernel sends when the parent ends.
const wakeUp = syscall.SIGUSR2

// askToBeWoken makes the parent's end known at once instead of at the next look.
func askToBeWoken() {
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_SET_PDEATHSIG, uintptr(wakeUp), 0)
}

// ownGroup puts the program into a group of its own, and has the kernel kill it should the leash itself be killed.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
