import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Every secret of the run, by its description. */
export const secrets = new Map<string, string>()
export const canary = (what: string) => {
	const value = `CANARY${randomBytes(12).toString('hex')}`
	secrets.set(what, value)
	return value
}
/** Adds a secret that a response shows once. */
export const shownOnce = (what: string, value: string) => {
	secrets.set(what, value)
	return value
}

export function filesBelow(directory: string): string[] {
	return readdirSync(directory, { recursive: true, encoding: 'utf8' })
		.map((name) => join(directory, name))
		.filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
}

/** Finds the secrets that the content contains, in plain text, base64 or hex. */
export function foundIn(place: string, content: Buffer): string[] {
	return [...secrets].flatMap(([what, secret]) =>
		[secret, Buffer.from(secret).toString('base64').replace(/=+$/, ''), Buffer.from(secret).toString('hex')]
			.filter((text) => content.includes(text))
			.map(() => `${what} in ${place}`),
	)
}

interface SeenProcess {
	name: string
	args: string
	environment: string
}

/** All descendants of a process, as /proc shows them to the same user. */
export function processesBelow(pid: number): SeenProcess[] {
	const parts = (of: string) => readOr(`/proc/${of}/stat`).match(/^\d+ \((.*)\) \S (\d+)/) ?? []
	const all = readdirSync('/proc')
		.filter((name) => /^\d+$/.test(name))
		.map((name) => ({ pid: Number(name), parent: Number(parts(name)[2]), name: parts(name)[1] ?? '' }))
	const below = (of: number): typeof all =>
		all.filter(({ parent }) => parent === of).flatMap((child) => [child, ...below(child.pid)])
	return below(pid).map(({ pid: id, name }) => ({
		name,
		args: readOr(`/proc/${id}/cmdline`),
		environment: readOr(`/proc/${id}/environ`),
	}))
}

function readOr(path: string): string {
	try {
		return readFileSync(path, 'latin1')
	} catch {
		return ''
	}
}
