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

/** The reference that replaces a secret in an export: `${env:GITHUB_AUTHORIZATION}`. */
export function referenceTo(...words: string[]): string {
	const name = words
		.join('_')
		.toUpperCase()
		.replaceAll(/[^A-Z0-9]+/g, '_')
	return `\${env:${/^[0-9]/.test(name) ? `_${name}` : name}}`
}
