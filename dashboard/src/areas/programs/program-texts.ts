import { parseLines } from '../../lib/parse-lines.ts'

const host = /^(\*\.)?[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*(:[0-9]{1,5})?$/

/** Hosts that a program may reach, or the first invalid line. */
export function parseHosts(text: string): { hosts: string[] } | { wrong: string } {
	const hosts = [...new Set(parseLines(text))]
	const wrong = hosts.find((line) => !host.test(line))
	return wrong === undefined ? { hosts } : { wrong }
}

/** `NAME=value` lines as a record; null if a line has another form. */
export function parseVariables(text: string): Record<string, string> | null {
	const lines = text.split('\n').filter((line) => line.trim() !== '')
	const pairs = lines.map((line) => line.match(/^\s*([A-Za-z_]\w*)=(.*)$/))
	if (pairs.includes(null)) return null
	return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', pair?.[2] ?? '']))
}

/** One argument per line; spaces are part of the argument. */
export function parseArguments(text: string): string[] {
	return text.split('\n').filter((line) => line !== '')
}
