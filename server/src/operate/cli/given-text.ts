import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'

/** A text on the command line: itself, `@file`, or `-` for standard input. */
export async function readGivenText(given: string): Promise<string> {
	if (given === '-') return text(process.stdin)
	return given.startsWith('@') ? readFileSync(given.slice(1), 'utf8') : given
}
