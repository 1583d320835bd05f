import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { readVariable } from '../../../config/config.ts'

const reference = /\$\{(env|file):([^}]+)\}/g

/** Replaces references in texts by their values. Paths are relative to the folder of the configuration file. */
export class Secrets {
	readonly #folder: string

	constructor(path: string) {
		this.#folder = dirname(resolve(path))
	}

	/** The text with its references replaced; throws an error that names what is missing. */
	fill(text: string): string {
		return text.replace(reference, (found, source: string, name: string) => {
			const value = source === 'env' ? readVariable(name) : this.#readFile(name)
			if (value === null) throw new MissingSecret(`${found} has no value`)
			return value
		})
	}

	fillAll(texts: Readonly<Record<string, string>>): Record<string, string> {
		return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, this.fill(text)]))
	}

	/** Null if a reference has no value now. */
	tryFill(text: string): string | null {
		try {
			return this.fill(text)
		} catch (error) {
			if (error instanceof MissingSecret) return null
			throw error
		}
	}

	#readFile(path: string): string | null {
		try {
			return readFileSync(resolve(this.#folder, path), 'utf8').trim() || null
		} catch {
			return null
		}
	}
}

export class MissingSecret extends Error {}

/** Makes the reference that replaces a secret: of this field, named by these words. */
export type ReferenceTo = (field: string, ...words: string[]) => string

/**
 * Makes the references of an export: `${env:GITHUB_AUTHORIZATION}`. Different words can give the same name. Then each gets a hash of
 * its words, because one variable for two secrets would send the one where the other belongs. So `write` runs twice: the names that
 * several secrets want are known only after the first time.
 */
export function withReferences<T>(write: (referenceTo: ReferenceTo) => T): T {
	const wanted = new Map<string, Set<string>>()
	const referenceTo: ReferenceTo = (field, ...words) => {
		const name = words
			.join('_')
			.toUpperCase()
			.replaceAll(/[^A-Z0-9]+/g, '_')
		const place = JSON.stringify([field, ...words])
		const places = wanted.get(name) ?? new Set()
		wanted.set(name, places.add(place))
		const hash = createHash('sha256').update(place).digest('hex').slice(0, 32).toUpperCase()
		// What looks like a name with a hash gets another one, so that nobody can choose the name of another secret.
		const isShared = places.size > 1 || /_[0-9A-F]{32}$/.test(name)
		const own = isShared ? `${name}_${hash}` : name
		return `\${env:${/^[0-9]/.test(own) ? `_${own}` : own}}`
	}
	write(referenceTo)
	return write(referenceTo)
}
